__global__ void k(float *p, int n)
{
    int i = blockIdx.x * (blockDim.x + threadIdx.x; // expect: compile_error
    if (i < n)
        p[i] = 1.0f;
}
