#include <cuda_runtime.h>

__global__ void invert(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 1.0f / in[n - 1 - i];
}

/* 1 <= n <= 2^30 */
int invert_sync(const float *in, float *out, int n)
{
    invert<<<(n + 255) / 256, 256>>>(in, out, n);
    return cudaThreadSynchronize() == cudaSuccess ? 0 : 1;
}
