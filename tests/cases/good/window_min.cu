#include <cuda_runtime.h>

__global__ void local_max(const float* __restrict__ in, float* __restrict__ out, int n, int radius)
{
    extern __shared__ float win[];
    const int start = blockIdx.x * blockDim.x - radius;
    const int span = blockDim.x + 2 * radius;
    for (int k = threadIdx.x; k < span; k += blockDim.x) {
        const int g = min(max(start + k, 0), n - 1);
        win[k] = in[g];
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = win[threadIdx.x];
    for (int k = 1; k <= 2 * radius; ++k) best = fmaxf(best, win[threadIdx.x + k]);
    out[i] = best;
}

// 1 <= n <= 2^28, 1 <= radius <= 64
cudaError_t window_max(const float* in, float* out, int n, int radius, cudaStream_t s)
{
    const int block = 128;
    const size_t bytes = (block + 2 * radius) * sizeof(float);
    local_max<<<(n + block - 1) / block, block, bytes, s>>>(in, out, n, radius);
    return cudaGetLastError();
}
