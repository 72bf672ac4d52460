// ask: op=matmul
// get: kernel mm [in:a in:b out:c dim:m dim:n dim:k] f32 DDD <<<(ceil_div(n, 32), ceil_div(m, 32), 1), (32, 32, 1), 0>>>
#define TILE 32
__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float s[TILE][TILE];
    int r = blockIdx.y * TILE + threadIdx.y, c = blockIdx.x * TILE + threadIdx.x;
    float v = 0;
    for (int k = 0; k < K; k++)
        v += A[r * K + k] * B[k * N + c];
    s[threadIdx.y][threadIdx.x] = v;
    if (r < M && c < N)
        C[r * N + c] = s[threadIdx.y][threadIdx.x];
}
