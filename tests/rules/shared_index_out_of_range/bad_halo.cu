#include <cuda_runtime.h>

#define BLOCK 64

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[BLOCK + 1];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    if (threadIdx.x == 0) {
        tile[0] = i > 0 && i <= n ? in[i - 1] : 0.0f;
        tile[BLOCK + 1] = i + BLOCK < n ? in[i + BLOCK] : 0.0f; // expect: shared_index_out_of_range reject
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
    }
}

void run(const float *in, float *out, int n)
{
    blur<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
