#include <cuda_runtime.h>

constexpr int kSide = 16;

__global__ void block_peak(const float* m, float* peak, int ld)
{
    __shared__ float best[kSide * kSide];
    const int t = threadIdx.y * kSide + threadIdx.x;
    best[t] = m[(size_t)(blockIdx.y * kSide + threadIdx.y) * ld + blockIdx.x * kSide + threadIdx.x];
    __syncthreads();
    if (t == 0) {
        float p = best[0];
        for (int k = 1; k < kSide * kSide; ++k) p = fmaxf(p, best[k]);
        peak[blockIdx.y * gridDim.x + blockIdx.x] = p;
    }
}

// rows and ld are multiples of 16, up to 16384
void block_peaks(const float* m, float* peak, int rows, int ld, cudaStream_t s)
{
    block_peak<<<dim3(ld / kSide, rows / kSide), dim3(kSide, kSide), 0, s>>>(m, peak, ld);
}
