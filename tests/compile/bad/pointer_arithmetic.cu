__global__ void k(float *a, float *b, float *c)
{
    int i = threadIdx.x;
    c[i] = a + b; // expect: compile_error
}
