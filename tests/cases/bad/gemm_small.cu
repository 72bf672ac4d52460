#include <cuda_runtime.h>

template <int TILE>
__global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                     int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int ty = threadIdx.y, tx = threadIdx.x;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    float acc = 0.0f;

    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + tx, kb = t * TILE + ty;
        As[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

// 1 <= M, N, K <= 16384
void sgemm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream)
{
    const dim3 threads(16, 16);
    const dim3 blocks((N + 15) / 16, (M + 15) / 16);
    gemm<16><<<blocks, threads, 0, stream>>>(A, B, C, M, N, K);
}
