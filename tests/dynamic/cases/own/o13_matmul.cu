#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BM = 16, BN = 16, BK = 16;

__global__ void gemm_double_buffered(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                     int m, int n, int k) {
    __shared__ float sa[2][BM][BK];
    __shared__ float sb[2][BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BM + ty, col = blockIdx.x * BN + tx;
    const int tiles = (k + BK - 1) / BK;

    auto fetch = [&](int stage, int t) {
        const int ka = t * BK + tx, kb = t * BK + ty;
        if (row < m && ka < k)
            __pipeline_memcpy_async(&sa[stage][ty][tx], &a[(size_t)row * k + ka], sizeof(float));
        else
            sa[stage][ty][tx] = 0.0f;
        if (kb < k && col < n)
            __pipeline_memcpy_async(&sb[stage][ty][tx], &b[(size_t)kb * n + col], sizeof(float));
        else
            sb[stage][ty][tx] = 0.0f;
        __pipeline_commit();
    };

    float acc = 0.0f;
    if (tiles > 0) fetch(0, 0);
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            fetch((t + 1) & 1, t + 1);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        for (int kk = 0; kk < BK; ++kk) acc = fmaf(sa[t & 1][ty][kk], sb[t & 1][kk][tx], acc);
        __syncthreads();
    }
    if (row < m && col < n) c[(size_t)row * n + col] = acc;
}

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    gemm_double_buffered<<<dim3((n + BN - 1) / BN, (m + BM - 1) / BM), dim3(BN, BM)>>>(a, b, c, m, n, k);
}
