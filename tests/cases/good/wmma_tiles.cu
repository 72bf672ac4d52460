#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

__global__ void hgemm(const __half* a, const __half* b, float* c, int n, int k)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fill_fragment(fc, 0.0f);
    for (int p = 0; p < k; p += 16) {
        wmma::load_matrix_sync(fa, a + (size_t)row * k + p, k);
        wmma::load_matrix_sync(fb, b + (size_t)p * n + col, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + (size_t)row * n + col, fc, n, wmma::mem_row_major);
}

// m, n, k are multiples of 16, 16 <= m, n, k <= 16384
void half_gemm(const __half* a, const __half* b, float* c, int m, int n, int k, cudaStream_t s)
{
    hgemm<<<dim3(n / 16, m / 16), 32, 0, s>>>(a, b, c, n, k);
}
