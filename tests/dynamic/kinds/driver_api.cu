#include <cuda.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

void relu(const float *x, float *y, int n)
{
    CUdevice device;
    cuInit(0);
    cuDeviceGet(&device, 0);
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
