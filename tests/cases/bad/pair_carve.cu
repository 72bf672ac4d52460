#include <cuda_runtime.h>

constexpr int kBins = 512;

// Weighted histogram: for each bin the number of samples and their weight.
__global__ void weighted_hist(const unsigned short* bin, const float* weight, int n, unsigned* count, float* mass)
{
    extern __shared__ unsigned char raw[];
    unsigned* c = reinterpret_cast<unsigned*>(raw);
    float* m = reinterpret_cast<float*>(c + kBins);

    for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
        c[b] = 0u;
        m[b] = 0.0f;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int b = bin[i] & (kBins - 1);
        atomicAdd(&c[b], 1u);
        atomicAdd(&m[b], weight[i]);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
        atomicAdd(&count[b], c[b]);
        atomicAdd(&mass[b], m[b]);
    }
}

// 1 <= n <= 2^30; count and mass hold 512 zeros each
void weighted_histogram(const unsigned short* bin, const float* weight, int n, unsigned* count, float* mass)
{
    const size_t shared_bytes = kBins * sizeof(unsigned);
    weighted_hist<<<120, 256, shared_bytes>>>(bin, weight, n, count, mass);
}
