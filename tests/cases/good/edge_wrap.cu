#include <cuda_runtime.h>

constexpr int kWidth = 256;

// Three-point mean; values outside count as zero.
__global__ void mean3(const float* __restrict__ x, float* __restrict__ y, int n)
{
    __shared__ float s[kWidth + 2];
    const int t = threadIdx.x;
    const int g = blockIdx.x * kWidth + t;

    s[t + 1] = g < n ? x[g] : 0.0f;
    if (t == 0) s[0] = g > 0 ? x[g - 1] : 0.0f;
    if (t == kWidth - 1) s[kWidth + 1] = g + 1 < n ? x[g + 1] : 0.0f;
    __syncthreads();
    if (g < n) y[g] = (s[t] + s[t + 1] + s[t + 2]) / 3.0f;
}

// 1 <= n <= 2^30
void smooth(const float* x, float* y, int n, cudaStream_t stream)
{
    mean3<<<(n + kWidth - 1) / kWidth, kWidth, 0, stream>>>(x, y, n);
}
