#include <cuda_runtime.h>

__global__ void butterflies(const float2 *in, float2 *out)
{
    __shared__ float2 s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    float2 keep = s[t];
    if (t % 2 == 0) {
        float2 a = s[t], b = s[t + 1];
        keep = make_float2(a.x + b.x, a.y + b.y);
    }
    __syncthreads();
    s[t] = keep;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}

/* groups of 64, 1 <= groups <= 2^20 */
void butterfly(const float2 *in, float2 *out, int groups)
{
    butterflies<<<groups, 64>>>(in, out);
}
