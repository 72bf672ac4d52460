#include <cuda_runtime.h>

__global__ void matmul_strided(const float* A, const float* B, float* C, int M, int N, int K) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    if (col >= N) return;
    for (int row = blockIdx.y; row < M; row += gridDim.y) {
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}

extern "C" void launch_matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 grid((N + 63) / 64, M < 8 ? M : 8);
    matmul_strided<<<grid, 64>>>(A, B, C, M, N, K);
}
