#include <cuda_runtime.h>

__global__ void stage(const int *src, int *dst, int n) // expect: no_global_write reject
{
    __shared__ int tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = i < n ? src[i] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 64; ++k) {
        sum += tile[k];
    }
    tile[threadIdx.x] = sum;
}

void run(const int *src, int *dst, int n)
{
    stage<<<(n + 63) / 64, 64>>>(src, dst, n);
}
