// ask: op=add
// get: launcher vector_add [out:out in:a in:b dim:n] f32 DDD
__global__ void vecadd(float *C, const float *A, const float *B, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
void vector_add(float *C, const float *A, const float *B, int N)
{
    vecadd<<<(N + 255) / 256, 256>>>(C, A, B, N);
}
