#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void gemm_async(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float sA[16][16], sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = 0.f;
        sB[ty][tx] = 0.f;
        if (row < M && t + tx < K) __pipeline_memcpy_async(&sA[ty][tx], A + row * K + t + tx, 4);
        if (col < N && t + ty < K) __pipeline_memcpy_async(&sB[ty][tx], B + (t + ty) * N + col, 4);
        __pipeline_commit();
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

extern "C" void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm_async<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
