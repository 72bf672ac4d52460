#include <cuda_runtime.h>

constexpr int T = 64;

__global__ void row_norm(const float* __restrict__ m, float* __restrict__ norm, int cols)
{
    __shared__ float acc[T];
    const int row = blockIdx.x;
    const float* r = m + (size_t)row * cols;
    float a = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T) a += fabsf(r[c]);
    acc[threadIdx.x] = a;
    __syncthreads();
    #pragma unroll
    for (int w = T / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) acc[threadIdx.x] += acc[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) norm[row] = acc[0];
}

// 1 <= rows <= 2^20, 1 <= cols <= 2^20
void row_norms(const float* m, float* norm, int rows, int cols, cudaStream_t stream)
{
    row_norm<<<dim3(rows), T, 0, stream>>>(m, norm, cols);
}
