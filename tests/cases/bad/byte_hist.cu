#include <cuda_runtime.h>

__global__ void byteHistogram(const unsigned char* __restrict__ data, size_t size, unsigned long long* __restrict__ hist)
{
    __shared__ unsigned int local[256];
    if (threadIdx.x < 256) local[threadIdx.x] = 0;

    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < size; k += step)
        atomicAdd(&local[data[k]], 1u);
    __syncthreads();

    if (threadIdx.x < 256) atomicAdd(&hist[threadIdx.x], (unsigned long long)local[threadIdx.x]);
}

// size up to 2^38; hist holds 256 zeros
void byte_histogram(const unsigned char* data, size_t size, unsigned long long* hist, cudaStream_t stream)
{
    byteHistogram<<<256, 512, 0, stream>>>(data, size, hist);
}
