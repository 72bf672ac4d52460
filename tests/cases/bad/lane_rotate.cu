#include <cuda_runtime.h>

// Rotates the values of every warp by one lane. n is a multiple of 32, at most 2^30.
__global__ void rotate_lanes(float* v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = (threadIdx.x + 1) & 31;
    v[i] = __shfl_synch(0xffffffffu, v[i], from);
}

void rotate(float* v, int n, cudaStream_t s)
{
    rotate_lanes<<<(n + 255) / 256, 256, 0, s>>>(v, n);
}
