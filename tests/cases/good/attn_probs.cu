#include <cuda_runtime.h>

constexpr int kTileRows = 64;
constexpr int kHead = 128;
constexpr size_t kBytes = sizeof(float) * 2 * kTileRows * kHead;

__global__ void scores(const float* __restrict__ q, const float* __restrict__ k, float* __restrict__ s, int tiles)
{
    extern __shared__ float buf[];
    float* qs = buf;
    float* ks = buf + kTileRows * kHead;
    const float* qt = q + (size_t)blockIdx.y * kTileRows * kHead;
    const float* kt = k + (size_t)blockIdx.x * kTileRows * kHead;
    for (int e = threadIdx.x; e < kTileRows * kHead; e += blockDim.x) {
        qs[e] = qt[e];
        ks[e] = kt[e];
    }
    __syncthreads();
    for (int e = threadIdx.x; e < kTileRows * kTileRows; e += blockDim.x) {
        const int r = e / kTileRows, c = e % kTileRows;
        float dot = 0.0f;
        for (int d = 0; d < kHead; ++d) dot += qs[r * kHead + d] * ks[c * kHead + d];
        s[((size_t)blockIdx.y * kTileRows + r) * tiles * kTileRows + blockIdx.x * kTileRows + c] = dot;
    }
}

// 1 <= tiles <= 1024; q and k hold tiles * 64 rows of 128 floats
cudaError_t attention_scores(const float* q, const float* k, float* s, int tiles, cudaStream_t stream)
{
    cudaError_t e = cudaFuncSetAttribute(scores, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)kBytes);
    if (e != cudaSuccess) return e;
    scores<<<dim3(tiles, tiles), 256, kBytes, stream>>>(q, k, s, tiles);
    return cudaGetLastError();
}
