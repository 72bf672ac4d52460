#include <cuda_runtime.h>

__global__ void clear(float *v, int n)
{
    const int i = blockIdx.x * 192 + threadIdx.x; // expect: style_magic_block_size note
    if (i < n) {
        v[i] = 0.0f;
    }
}

void run(float *v, int n)
{
    const int threads = 192;
    clear<<<(n + threads - 1) / threads, threads>>>(v, n);
}
