#include <cuda_runtime.h>

__global__ void top(const int* score, int n, int* best)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        atomicMaxx(best, score[id]);
    }
}

// 1 <= n <= 2^30; *best starts at the lowest value
void top_of(const int* score, int n, int* best, cudaStream_t stream)
{
    top<<<(n + 127) / 128, 128, 0, stream>>>(score, n, best);
}
