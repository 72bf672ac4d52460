#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

#define GRID_STRIDE(i, n)                                                       \
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < (n);   \
         i += int64_t(blockDim.x) * gridDim.x)

__global__ void leaky(float* v, float slope, int64_t n)
{
    GRID_STRIDE(i, n)
    {
        const float x = v[i];
        v[i] = x > 0.f ? x : slope * x;
    }
}

// 1 <= n <= 2^40
void leaky_relu(float* v, float slope, int64_t n, cudaStream_t stream)
{
    const int64_t want = (n + 511) / 512;
    const int blocks = static_cast<int>(std::min<int64_t>(want, 4096));
    leaky<<<blocks, 512, 0, stream>>>(v, slope, n);
}
