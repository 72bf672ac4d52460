#include <cuda_runtime.h>

template <int kSize>
__global__ void chunk_cdf(const unsigned* __restrict__ pdf, unsigned* __restrict__ cdf, int n)
{
    __shared__ unsigned acc[];
    const int t = threadIdx.x;
    const int i = blockIdx.x * kSize + t;
    acc[t] = i < n ? pdf[i] : 0u;
    for (int d = 1; d < kSize; d <<= 1) {
        __syncthreads();
        const unsigned add = t >= d ? acc[t - d] : 0u;
        __syncthreads();
        acc[t] += add;
    }
    if (i < n) cdf[i] = acc[t];
}

// 1 <= n <= 2^30
void chunk_cdf_256(const unsigned* pdf, unsigned* cdf, int n, cudaStream_t stream)
{
    chunk_cdf<256><<<(n + 255) / 256, 256, 256 * sizeof(unsigned), stream>>>(pdf, cdf, n);
}
