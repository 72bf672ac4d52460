#include <cuda_runtime.h>

__global__ void warm_up() {}

__global__ void squares(int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

// 1 <= n <= 46340
cudaError_t fill_squares(int* out, int n)
{
    warm_up<<<1, 1>>>();
    squares<<<(n + 127) / 128, 128>>>(out, n);
    return cudaDeviceSynchronize();
}
