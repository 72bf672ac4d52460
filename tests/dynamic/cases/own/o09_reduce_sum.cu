#include <cuda_runtime.h>

__global__ void partial_sums(const float* x, float* p, int n) {
    __shared__ float s[128];
    float v = 0.f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x) p[blockIdx.x] = s[0];
}

__global__ void final_sum(const float* p, float* out, int m) {
    float v = 0.f;
    for (int i = 0; i < m; ++i) v += p[i];
    *out = v;
}

extern "C" void reduce_sum(const float* x, float* out, int n) {
    float* p;
    cudaMalloc(&p, 32 * sizeof(float));
    partial_sums<<<32, 128>>>(x, p, n);
    cudaFree(p);
    final_sum<<<1, 1>>>(p, out, 32);
    cudaDeviceSynchronize();
}
