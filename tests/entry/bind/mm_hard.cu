// ask: op=matmul
// get: none no_entry: no parameter of launch tells 'm', 'n' and 'k' of operator matmul; where the sizes stand in the code, give them as "cases" in cmpd.json
#define N 256
__global__ void mm(const float *A, const float *B, float *C)
{
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < N; k++)
        s += A[r * N + k] * B[k * N + c];
    C[r * N + c] = s;
}
void launch(const float *A, const float *B, float *C)
{
    mm<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C);
}
