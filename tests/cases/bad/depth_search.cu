#include <cuda_runtime.h>

template <int kDepth>
__global__ void accumulate_levels(const float4* __restrict__ in, float4* __restrict__ out, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 s = in[i];
    for (int d = 1; d < kDepth; ++d) {
        const float4 v = in[(size_t)d * n4 + i];
        s.x += v.x;
        s.y += v.y;
        s.z += v.z;
        s.w += v.w;
    }
    out[i] = s;
}

template <int kDepth>
void launch_depth(const float4* in, float4* out, int n4, int depth, cudaStream_t s)
{
    if (depth == kDepth) {
        accumulate_levels<kDepth><<<(n4 + 127) / 128, 128, 0, s>>>(in, out, n4);
    } else if constexpr (kDepth > 1) {
        launch_depth<kDepth - 1>(in, out, n4, depth, s);
    }
}

// in holds depth levels of n4 packets; 1 <= depth <= 128, 1 <= n4 <= 2^22
void sum_levels(const float4* in, float4* out, int n4, int depth, cudaStream_t s)
{
    launch_depth<128>(in, out, n4, depth, s);
}
