#include <cuda_runtime.h>

__device__ volatile int arrived;
__device__ unsigned count;
__device__ float part[16];

__global__ void sum_barrier(const float* x, float* out, int n) {
    __shared__ float s[128];
    float v = 0.f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        atomicAdd(&count, 1u);
        while (atomicAdd(&count, 0u) != gridDim.x) {
        }
        __threadfence();
        if (blockIdx.x == 0) {
            float t = 0.f;
            for (int b = 0; b < gridDim.x; ++b) t += ((volatile float*)part)[b];
            *out = t;
        }
    }
}

extern "C" void reduce_sum(const float* x, float* out, int n) { sum_barrier<<<4, 128>>>(x, out, n); }
