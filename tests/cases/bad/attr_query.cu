#include <cuda_runtime.h>

__global__ void ones(float* p, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = 1.0f;
}

// 0 <= n <= 2^30
cudaError_t fill_ones(float* p, int n, int device)
{
    int sms = 0;
    cudaError_t e = cudaDeviceGetAttributes(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e != cudaSuccess) return e;
    ones<<<4 * sms, 256>>>(p, n);
    return cudaGetLastError();
}
