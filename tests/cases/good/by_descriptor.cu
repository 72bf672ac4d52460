#include <cuda_runtime.h>

__global__ void bias_first(float* v, float b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] > 0.f ? v[i] + b : 0.f;
}

__global__ void bias_rest(float* v, const float* b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += b[i % 7];
}

// 1 <= n <= 2^30; b holds 7 floats on the device
cudaError_t add_biases(float* v, const float* b, float first, int n, cudaStream_t stream)
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((n + 255) / 256);
    cfg.blockDim = dim3(256);
    cfg.stream = stream;
    cudaError_t e = cudaLaunchKernelEx(&cfg, bias_first, v, first, n);
    if (e != cudaSuccess) return e;
    void* args[] = {&v, &b, &n};
    return cudaLaunchKernel((const void*)bias_rest, cfg.gridDim, cfg.blockDim, args, 0, stream);
}
