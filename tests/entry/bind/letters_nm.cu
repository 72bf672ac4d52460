// ask: op=transpose
// get: launcher transpose [in:x out:y dim:rows dim:cols] f32 DD assumed: 'N' and 'M' by their order
__global__ void tr(const float *x, float *y, int N, int M)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * M)
        y[i % M * N + i / M] = x[i];
}
void transpose(const float *x, float *y, int N, int M)
{
    tr<<<(N * M + 255) / 256, 256>>>(x, y, N, M);
}
