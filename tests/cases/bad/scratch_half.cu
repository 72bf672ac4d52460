#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void widen(const __half* h, float* f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] = __half2float(h[i]);
}

__global__ void narrow(const float* f, __half* h, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] = __float2half_rn(scale * f[n - 1 - i]);
}

// In-place reversal with scaling of n halves on the device, 1 <= n <= 2^28.
cudaError_t reverse_scaled(__half* data, float scale, int n, cudaStream_t stream)
{
    float* scratch = nullptr;
    cudaError_t err = cudaMallocAsync((void**)&scratch, n * sizeof(__half), stream);
    if (err != cudaSuccess) return err;
    const int grid = (n + 255) / 256;
    widen<<<grid, 256, 0, stream>>>(data, scratch, n);
    narrow<<<grid, 256, 0, stream>>>(scratch, data, scale, n);
    return cudaFreeAsync(scratch, stream);
}
