#include <cuda_runtime.h>

union Bits {
    float f;
    unsigned u;
};

__device__ __forceinline__ float flush(float x)
{
    Bits b;
    b.f = x;
    if ((b.u & 0x7f800000u) == 0u) b.u &= 0x80000000u;
    const int again = *reinterpret_cast<int*>(&b.f);
    return __int_as_float(again);
}

__global__ void flush_denormals(float* v, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4* p = reinterpret_cast<float4*>(v) + i;
    float4 q = *p;
    q.x = flush(q.x);
    q.y = flush(q.y);
    q.z = flush(q.z);
    q.w = flush(q.w);
    *p = q;
}

// v: 16-byte aligned, n a multiple of 4, 4 <= n <= 2^30
void flush_all(float* v, int n)
{
    const int n4 = n / 4;
    flush_denormals<<<(n4 + 255) / 256, 256>>>(v, n4);
}
