#include <cuda_runtime.h>

__global__ void halves(float *v)
{
    __shared__ float part[64];
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x >= 64) {
        part[threadIdx.x - 64] = v[i];
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        v[i] += part[threadIdx.x];
    }
}

// n is a multiple of 128
void run(float *v, int n)
{
    halves<<<n / 128, 128>>>(v);
}
