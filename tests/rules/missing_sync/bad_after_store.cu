#include <cuda_runtime.h>

__global__ void flip(float *v)
{
    __shared__ float line[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    line[threadIdx.x] = v[i];
    v[i] = line[127 - threadIdx.x]; // expect: missing_sync reject
}

// n is a multiple of 128
void run(float *v, int n)
{
    flip<<<n / 128, 128>>>(v);
}
