#include <cuda_runtime.h>

static int blocks_for(int n, int per_block)
{
    return n / per_block + (n % per_block != 0);
}

__global__ void scale(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] *= 3.0f;
    }
}

void run(float *v, int n)
{
    const int threads = 192;
    scale<<<blocks_for(n, threads), threads>>>(v, n);
}
