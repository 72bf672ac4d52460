#include <cuda_runtime.h>

__global__ void flip(float *v)
{
    extern __shared__ float line[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = v[i];
    __syncthreads();
    v[i] = line[blockDim.x - 1 - threadIdx.x];
}

// n is a multiple of 128
void run(float *v, int n)
{
    flip<<<n / 128, 128, 128>>>(v); // expect: shared_size_mismatch reject
}
