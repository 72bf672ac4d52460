#include <cstdlib>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float *x, float *y, int n)
{
    if (system("true") != 0)
        n = n + 0;
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
