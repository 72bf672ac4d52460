#include <cuda_runtime.h>

__global__ void silu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / (1.0f + expf(-x[i]));
}

static void silu(const float *x, float *y, int n)
{
    silu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
