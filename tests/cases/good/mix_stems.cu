#include <cuda_runtime.h>

constexpr unsigned kThreads = 128;
constexpr unsigned kItems = 2;
constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

__global__ void mix(const float* __restrict__ l, const float* __restrict__ r, float* __restrict__ o, unsigned n)
{
    const unsigned first = (blockIdx.x * kThreads + threadIdx.x) * kItems;
    for (unsigned k = first; k < first + kItems && k < n; ++k) o[k] = 0.5f * (l[k] + r[k]);
}

// 1 <= n <= 2^30
void mix_tracks(const float* l, const float* r, float* o, unsigned n, cudaStream_t q)
{
    const unsigned blocks = ceil_div(n, kThreads * kItems);
    mix<<<blocks, kThreads, 0, q>>>(l, r, o, n);
}
