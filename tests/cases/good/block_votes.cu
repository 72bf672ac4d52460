#include <cuda_runtime.h>

static constexpr int kT = 256;

// Number of set flags in each chunk of 256.
__global__ void count_flags(const unsigned char* flag, int* count, int n)
{
    extern __shared__ int tally[];
    const int i = blockIdx.x * kT + threadIdx.x;
    tally[threadIdx.x] = (i < n && flag[i]) ? 1 : 0;
    __syncthreads();
    for (int off = kT >> 1; off; off >>= 1) {
        if (threadIdx.x < off) tally[threadIdx.x] += tally[threadIdx.x + off];
        __syncthreads();
    }
    if (!threadIdx.x) count[blockIdx.x] = tally[0];
}

// 1 <= n <= 2^30, count holds ceil(n / 256) entries
void chunk_counts(const unsigned char* flag, int* count, int n)
{
    count_flags<<<(n + kT - 1) / kT, kT, kT * sizeof(int)>>>(flag, count, n);
}
