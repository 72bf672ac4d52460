#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void scale_half(const __half* __restrict__ x, __half* __restrict__ y, __half f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __hmul(x[i], f);
    }
}

// n is a multiple of 8, 8 <= n <= 2^30; both buffers come from cudaMalloc
void scale_halves(const __half* x, __half* y, float f, int n)
{
    const int work = n;
    scale_half<<<(work + 255) / 256, 256>>>(x, y, __float2half(f), n);
}
