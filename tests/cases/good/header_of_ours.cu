#include <cuda_runtime.h>
#include "device_pool.h"

__global__ void hypot_kernel(const float2* v, float* len, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) len[i] = hypotf(v[i].x, v[i].y);
}

// v: n pairs on the host, len: n floats on the host, 1 <= n <= 2^26
void lengths(const float2* v, float* len, int n)
{
    float2* dv = static_cast<float2*>(cudaPoolAlloc(n * sizeof(float2)));
    float* dl = static_cast<float*>(cudaPoolAlloc(n * sizeof(float)));
    CUDA_TRY(cudaMemcpy(dv, v, n * sizeof(float2), cudaMemcpyHostToDevice));
    hypot_kernel<<<(n + 127) / 128, 128>>>(dv, dl, n);
    CUDA_TRY(cudaMemcpy(len, dl, n * sizeof(float), cudaMemcpyDeviceToHost));
    cudaPoolFree(dv);
    cudaPoolFree(dl);
}
