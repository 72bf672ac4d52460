#include <cuda_runtime.h>

#define ADD_SQUARE(acc, v)      \
    {                           \
        float d = (v);        \
        (acc) += d * d;         \
    }

__global__ void sq_dist(const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = a[i], q = b[i];
    float sum = 0.0f;
    float d = p.x - q.x;
    ADD_SQUARE(sum, d)
    d = p.y - q.y;
    ADD_SQUARE(sum, d)
    d = p.z - q.z;
    ADD_SQUARE(sum, d)
    out[i] = sum + fabsf(p.w - q.w);
}

// 1 <= n <= 2^28
void squared_distances(const float4* a, const float4* b, float* out, int n)
{
    sq_dist<<<(n + 127) / 128, 128>>>(a, b, out, n);
}
