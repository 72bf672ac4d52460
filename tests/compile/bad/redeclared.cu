__global__ void k(float *p)
{
    int i = threadIdx.x;
    int i = blockIdx.x; // expect: compile_error
    p[i] = 1.0f;
}
