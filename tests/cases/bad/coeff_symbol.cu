#include <cuda_runtime.h>

constexpr int kTaps = 32;
__constant__ float c_coeff[kTaps];

__global__ void polyphase(const float* __restrict__ x, float* __restrict__ y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int k = 0; k < kTaps; ++k)
        if (i >= k) s += c_coeff[k] * x[i - k];
    y[i] = s;
}

// 1 <= n <= 2^30, x and y on the device
cudaError_t filter(const float* x, float* y, int n, float cutoff)
{
    float coeff[kTaps];
    for (int k = 0; k < kTaps; ++k) coeff[k] = cutoff / (k + 1);
    cudaError_t e = cudaMemcpyToSymbol(c_coeff, coeff, kTaps);
    if (e != cudaSuccess) return e;
    polyphase<<<(n + 255) / 256, 256>>>(x, y, n);
    return cudaGetLastError();
}
