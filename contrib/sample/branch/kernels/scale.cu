#include <cuda_runtime.h>

// y[i] = factor * x[i]
__global__ void scale(const float *__restrict__ x, float *__restrict__ y, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    y[i] = factor * x[i];
}

void launch_scale(const float *x, float *y, float factor, int n)
{
    const int block = 256;

    scale<<<(n + block - 1) / block, block>>>(x, y, factor, n);
}
