#include <cuda_runtime.h>

#define THREADS 256
#define MAX_BLOCKS 64

__device__ float g_partial[MAX_BLOCKS];
__device__ unsigned int g_done = 0;

__device__ float block_sum(float v) {
    __shared__ float warp_sums[THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if (lane == 0) warp_sums[warp] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? warp_sums[lane] : 0.0f;
    if (warp == 0)
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

__global__ void sum_single_pass(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ bool last;
    float acc = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x) acc += in[i];
    acc = block_sum(acc);
    if (threadIdx.x == 0) {
        g_partial[blockIdx.x] = acc;
        __threadfence();
        unsigned ticket = atomicAdd(&g_done, 1);
        last = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (last) {
        float v = 0.0f;
        for (int i = threadIdx.x; i < gridDim.x; i += THREADS) v += ((volatile float*)g_partial)[i];
        __syncthreads();
        v = block_sum(v);
        if (threadIdx.x == 0) {
            *out = v;
            g_done = 0;
        }
    }
}

extern "C" void reduce_sum(const float* in, float* out, int n) {
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks < 1) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    sum_single_pass<<<blocks, THREADS>>>(in, out, n);
}
