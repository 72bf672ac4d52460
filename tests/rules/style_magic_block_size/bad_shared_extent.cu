#include <cuda_runtime.h>

__global__ void flip(float *v)
{
    __shared__ float line[128]; // expect: style_magic_block_size note
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = v[i];
    __syncthreads();
    v[i] = line[blockDim.x - 1 - threadIdx.x];
}

// n is a multiple of 128
void run(float *v, int n)
{
    flip<<<n / 128, 128>>>(v);
}
