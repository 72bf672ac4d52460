#include <cuda_runtime.h>

constexpr int kSlots = 100;

// Histogram of ages in years; everything older goes to the last slot.
__global__ void age_hist(const int* age, int n, int* hist)
{
    __shared__ int bins[kSlots];
    for (int b = threadIdx.x; b < kSlots; b += blockDim.x) bins[b] = 0;
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int a = min(max(age[i], 0), kSlots);
        atomicAdd(&bins[a], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kSlots; b += blockDim.x)
        if (bins[b]) atomicAdd(&hist[b], bins[b]);
}

// 1 <= n <= 2^30; hist holds 100 counters
void age_histogram(const int* age, int n, int* hist)
{
    age_hist<<<(n + 127) / 128, 128>>>(age, n, hist);
}
