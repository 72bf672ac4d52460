#include <cuda_runtime.h>

static const int NUM_THREADS = 512;

__global__ void total_kernel(const int* v, int n, int* total)
{
    __shared__ int per_warp[8];
    int sum = 0;
    for (int i = blockIdx.x * NUM_THREADS + threadIdx.x; i < n; i += gridDim.x * NUM_THREADS) sum += v[i];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) per_warp[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int w = 0; w < 8; ++w) all += per_warp[w];
        atomicAdd(total, all);
    }
}

// 0 <= n <= 2^30; *total is 0 before
void total(const int* v, int n, int* total_out, cudaStream_t s)
{
    total_kernel<<<72, NUM_THREADS, 0, s>>>(v, n, total_out);
}
