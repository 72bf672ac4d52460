#include <cuda_runtime.h>

__global__ void doubling(float* v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] += v[i];
}

// src and dst: n floats on the host, 0 <= n <= 2^28
void doubled(const float* src, float* dst, int n)
{
    float* m = nullptr;
    cudaMallocManaged(&m, (n + 1) * sizeof(float));
    cudaMemcpy(m, src, n * sizeof(float), cudaMemcpyDefault);
    doubling<<<32, 128>>>(m, n);
    cudaDeviceSynchronize();
    cudaMemcpy(dst, m, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(m);
}
