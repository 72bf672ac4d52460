#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void to_half(const float4* in, __half2* out, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        const float4 v = in[i];
        out[2 * i] = __halves2half2(__float2half_nr(v.x), __float2half_rn(v.y));
        out[2 * i + 1] = __halves2half2(__float2half_rn(v.z), __float2half_rn(v.w));
    }
}

// 1 <= n4 <= 2^28
void convert(const float4* in, __half2* out, int n4)
{
    to_half<<<(n4 + 127) / 128, 128>>>(in, out, n4);
}
