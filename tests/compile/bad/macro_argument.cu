#define AT(p, i) ((p)[(i)])

__global__ void k(float *p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        AT(p, i) = AT(q, i); // expect: compile_error
}
