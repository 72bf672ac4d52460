#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> source;

__global__ void sample(float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * tex1Dfetch(source, i);
}

// 1 <= n <= 2^27
void sample_all(float* out, int n, cudaStream_t stream)
{
    sample<<<(n + 255) / 256, 256, 0, stream>>>(out, n);
}
