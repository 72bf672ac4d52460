// A part of main.cu, which declares what is used here.
__global__ void scale(real *p, int n) // expect: compile_environment
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= FACTOR;
}
