#include <cuda_runtime.h>

__global__ void count_negative(const float* x, int n, unsigned* hits)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (x[i] < 0.0f) atomicAdd(hits, 1u);
}

// x is a device buffer of n floats, 0 <= n <= 2^30
unsigned negatives(const float* x, int n)
{
    unsigned* d_hits;
    unsigned h_hits = 0;
    cudaMalloc(&d_hits, sizeof(unsigned));
    cudaMemset(d_hits, 0, sizeof(unsigned));
    count_negative<<<64, 256>>>(x, n, d_hits);
    cudaMemcpy(&h_hits, d_hits, sizeof(h_hits), cudaMemcpyDeviceToHost);
    cudaFree(d_hits);
    return h_hits;
}
