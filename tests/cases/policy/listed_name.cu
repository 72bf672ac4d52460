#include <cuda_runtime.h>
#include "scratch.h"

__global__ void fill_one(float4* v, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) v[i] = make_float4(1.f, 1.f, 1.f, 1.f);
}

// 1 <= n4 <= 2^28
float4* ones(int n4, cudaStream_t s)
{
    float4* v = static_cast<float4*>(cudaScratchAcquire(n4 * sizeof(float4), s));
    fill_one<<<(n4 + 255) / 256, 256, 0, s>>>(v, n4);
    return v;
}
