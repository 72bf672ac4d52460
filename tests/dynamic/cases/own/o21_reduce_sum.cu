#include <cuda_runtime.h>
#include <numeric>
#include <vector>

__global__ void block_sums(const float* in, float* partial, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    float v = 0.f;
    if (i < n) v = in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    s[t] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
        float w = s[t] + s[t + 32];
        for (int o = 16; o > 0; o >>= 1) w += __shfl_down_sync(0xffffffff, w, o);
        if (t == 0) partial[blockIdx.x] = w;
    }
}

float reduce_sum(const float* d_in, int n) {
    const int threads = 256;
    const int blocks = (n + threads * 2 - 1) / (threads * 2);
    float* d_partial;
    cudaMalloc(&d_partial, blocks * sizeof(float));
    block_sums<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_partial, n);
    std::vector<float> h(blocks);
    cudaMemcpy(h.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_partial);
    return std::accumulate(h.begin(), h.end(), 0.0f);
}
