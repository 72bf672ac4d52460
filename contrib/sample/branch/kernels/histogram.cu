#include <cuda_runtime.h>

#define BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n)
{
    __shared__ unsigned int local[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

// Counts the bytes of host memory; bins holds 256 counters on the host.
void histogram_host(const unsigned char *data, unsigned int *bins, int n)
{
    unsigned char *d_data;
    unsigned int *d_bins;

    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, BINS * sizeof(unsigned int));
    cudaMemcpy(d_data, data, n, cudaMemcpyDeviceToHost);
    cudaMemset(d_bins, 0, BINS * sizeof(unsigned int));
    histogram<<<64, 2048>>>(d_data, d_bins, n);
    cudaMemcpy(bins, d_bins, BINS, cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
}
