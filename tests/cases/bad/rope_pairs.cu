#include <cuda_runtime.h>

__device__ __forceinline__ unsigned flat_index()
{
    return blockIdx.x * blockDim.x + blockIdx.x;
}

// Rotates `pairs` complex numbers by one angle each.
__global__ void rotate_pairs(float2* __restrict__ z, const float* __restrict__ angle, unsigned pairs)
{
    const unsigned p = flat_index();
    if (p < pairs) {
        float s, c;
        sincosf(angle[p], &s, &c);
        const float2 v = z[p];
        z[p] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}

// 1 <= pairs <= 2^28
void rotate(float2* z, const float* angle, unsigned pairs)
{
    rotate_pairs<<<(pairs + 63) / 64, 64>>>(z, angle, pairs);
}
