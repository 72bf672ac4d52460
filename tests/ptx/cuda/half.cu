// f16 and bf16, single and in pairs, and the eight-bit formats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void half_kernel(half *o, half2 *o2, half a, half b, half2 c, half2 d, float f)
{
    int i = threadIdx.x;
    o[i] = __hadd(a, b) + __hsub(a, b) * __hfma(a, b, a) / b - __hneg(a) + __habs(b) + hsqrt(a) + hexp(b) + hrsqrt(a) + htanh(b);
    o[i] = __hmax(o[i], __hmin(a, b)) + __hadd_sat(a, b) + __hfma_relu(a, b, a) + hrint(a) + hfloor(b) + __float2half_rn(f) +
           __float2half_rz(f) + __int2half_rn(i) + (half)(double)f;
    o2[i] = __hadd2(c, d) + __hfma2(c, d, c) + __hmul2_sat(c, d) + h2exp2(c) + __floats2half2_rn(f, f) + __hmax2_nan(c, d);
    if (__hbgt2(c, d) || __hlt(a, b) || __hisnan(a) || __heq(a, b))
        o2[i] = __lowhigh2highlow(c);
    atomicAdd(&o2[0], c);
    atomicAdd(&o[0], a);
    o2[i + 1] = __shfl_xor_sync(~0u, c, 1);
    o[i + 2] = __ushort_as_half((unsigned short)i) + (half)(__half2float(a) + __half2int_rz(b) + __half2ull_rn(a));
}

__global__ void bf16_kernel(__nv_bfloat16 *o, __nv_bfloat162 *o2, __nv_bfloat16 a, __nv_bfloat162 c, float f)
{
    int i = threadIdx.x;
    o[i] = __hfma(a, a, a) + __hmax(a, __float2bfloat16(f)) + hexp(a) + __hneg(a) + __habs(a) + __float2bfloat16_rz(f);
    o2[i] = __hfma2_relu(c, c, c) + __hmin2(c, c) + __floats2bfloat162_rn(f, f) + h2tanh(c);
    o[i + 1] = __bfloat162float(o[0]) * 2.f > 1.f ? a : __hsub(a, a);
    atomicAdd(&o2[0], c);
}

__global__ void fp8_kernel(__nv_fp8_e4m3 *o, float *f, __nv_fp8_e5m2 e, half h)
{
    int i = threadIdx.x;
    o[i] = __nv_fp8_e4m3(f[i]);
    f[i] = float(o[i]) + float(e) + float(__nv_fp8_e5m2(h));
}
