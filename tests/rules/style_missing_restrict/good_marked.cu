#include <cuda_runtime.h>

#define NO_ALIAS __restrict__

__global__ void twice(const float *NO_ALIAS in, float *NO_ALIAS out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0f * in[i];
    }
}

__global__ void thrice(const float *__restrict__ in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 3.0f * in[i];
    }
}
