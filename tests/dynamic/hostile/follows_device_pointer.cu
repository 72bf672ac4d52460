#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float *x, float *y, int n)
{
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
    y[0] = y[0] > 0.0f ? y[0] : 0.0f;
}
