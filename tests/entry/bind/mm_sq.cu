// ask: op=matmul
// get: launcher matmul [in:a in:b out:c dim:n] f32 DDD equal:1=0 equal:2=0
__global__ void mm(const float *A, const float *B, float *C, int N)
{
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    if (r < N && c < N) {
        float s = 0;
        for (int k = 0; k < N; k++)
            s += A[r * N + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
void matmul(float *A, float *B, float *C, int N)
{
    dim3 b(16, 16), g((N + 15) / 16, (N + 15) / 16);
    mm<<<g, b>>>(A, B, C, N);
}
