#include <cuda_runtime.h>

template <int kThreads>
__global__ void accumulate_levels(const float4* __restrict__ in, float4* __restrict__ out, int n4, int depth)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n4) return;
    float4 s = in[i];
    for (int d = 1; d < depth; ++d) {
        const float4 v = in[(size_t)d * n4 + i];
        s.x += v.x;
        s.y += v.y;
        s.z += v.z;
        s.w += v.w;
    }
    out[i] = s;
}

template <int kThreads>
static void go(const float4* in, float4* out, int n4, int depth, cudaStream_t s)
{
    accumulate_levels<kThreads><<<(n4 + kThreads - 1) / kThreads, kThreads, 0, s>>>(in, out, n4, depth);
}

// in holds depth levels of n4 packets; depth >= 1, 1 <= n4 <= 2^22
void sum_levels(const float4* in, float4* out, int n4, int depth, cudaStream_t s)
{
    if (n4 < 1 << 14) go<64>(in, out, n4, depth, s);
    else if (n4 < 1 << 18) go<128>(in, out, n4, depth, s);
    else go<256>(in, out, n4, depth, s);
}
