#include <cuda_runtime.h>

__device__ float fold32(float* s, int lane)
{
    for (int d = 16; d > 0; d /= 2) {
        const float other = s[lane ^ d];
        __syncwarp();
        s[lane] += other;
        __syncwarp();
    }
    return s[lane];
}

__global__ void block_total(const float* in, float* out)
{
    __shared__ float s[32];
    const int t = threadIdx.x;
    float v = in[blockIdx.x * 1024 + t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        const float sum = fold32(s, t);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

// blocks of exactly 1024 values, 1 <= blocks <= 2^20
void block_totals(const float* in, float* out, int blocks)
{
    block_total<<<blocks, 1024>>>(in, out);
}
