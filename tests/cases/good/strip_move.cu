#include <cuda_runtime.h>

__global__ void log2_kernel(const float* in, float* out, int n)
{
    const int e = blockIdx.x + threadIdx.x * gridDim.x;
    if (e < n) out[e] = log2f(in[e]);
}

// 1 <= n <= 2^27
void log2_all(const float* in, float* out, int n)
{
    log2_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
}
