// ask: op=matmul
// get: launcher sgemm [dim:m dim:n dim:k scalar:alpha=1 in:a dim:k in:b dim:n scalar:beta=0 out:c dim:n] f32 DDD assumed: 'lda' as the length of a row; 'ldb' as the length of a row; 'ldc' as the length of a row
__global__ void mm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                   int ldb, float beta, float *C, int ldc)
{
    int r = blockIdx.y, c = blockIdx.x;
    C[r * ldc + c] = alpha * A[r * lda] * B[c] + beta * C[r * ldc + c];
}
void sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
           float beta, float *C, int ldc)
{
    mm<<<dim3(N, M), 1>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
