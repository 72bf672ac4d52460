#include <cuda_runtime.h>

#define BLOCK 256

__global__ void block_sums(const float *in, float *out, int n)
{
    __shared__ float part[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            part[threadIdx.x] += part[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = part[0];
    }
}

#undef BLOCK
#define BLOCK 128 // expect: macro_undef review

void run(const float *in, float *out, int n)
{
    block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
