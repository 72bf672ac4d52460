#include <cuda_runtime.h>
#include <cstdint>

__global__ void sum_abs(const void* samples, long long* total, int n)
{
    const int* s = static_cast<const int*>(samples);
    long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += abs(s[i]);
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(mine));
}

// n samples on the host, 1 <= n <= 2^26
long long loudness(const int32_t* samples, int n)
{
    int32_t* d = nullptr;
    long long *total = nullptr, out = 0;
    cudaMalloc(&d, n * sizeof(*samples));
    cudaMalloc(&total, sizeof(long long));
    cudaMemcpy(d, samples, n * sizeof(*samples), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof(long long));
    sum_abs<<<64, 256>>>(d, total, n);
    cudaMemcpy(&out, total, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(total);
    return out;
}
