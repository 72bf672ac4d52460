#include <cuda_runtime.h>

enum { BLOCK = 192, PER_THREAD = 4 };

// Dequantise: out[i] = (q[i] - zero) * scale. Neighbouring threads read neighbouring bytes.
__global__ void dequant(const signed char* __restrict__ q, float* __restrict__ out, float scale, int zero, int n)
{
    const int base = blockIdx.x * (BLOCK * PER_THREAD) + threadIdx.x;
    if (base >= n) return;

    #pragma unroll
    for (int j = 0; j < PER_THREAD; ++j) {
        const int i = base + j * BLOCK;
        out[i] = scale * (q[i] - zero);
    }
}

// 1 <= n <= 2^30
cudaError_t dequantize(const signed char* q, float* out, float scale, int zero, int n, cudaStream_t s)
{
    const int span = BLOCK * PER_THREAD;
    dequant<<<(n + span - 1) / span, BLOCK, 0, s>>>(q, out, scale, zero, n);
    return cudaGetLastError();
}
