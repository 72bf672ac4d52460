#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float sa[2][16][16], sb[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    int tiles = (K + 15) / 16;
    float acc = 0.f;
    for (int t = 0; t <= tiles; ++t) {
        if (t < tiles) {
            int st = t & 1;
            if (row < M && t * 16 + tx < K) __pipeline_memcpy_async(&sa[st][ty][tx], A + row * K + t * 16 + tx, 4);
            else sa[st][ty][tx] = 0.f;
            if (col < N && t * 16 + ty < K) __pipeline_memcpy_async(&sb[st][ty][tx], B + (t * 16 + ty) * N + col, 4);
            else sb[st][ty][tx] = 0.f;
            __pipeline_commit();
        }
        if (t > 0) {
            __pipeline_wait_prior(1);
            __syncthreads();
            for (int k = 0; k < 16; ++k) acc += sa[(t - 1) & 1][ty][k] * sb[(t - 1) & 1][k][tx];
            __syncthreads();
        }
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
