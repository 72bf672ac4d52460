#include <cuda_runtime.h>

__global__ void scale(float *v, size_t n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { // expect: sign_compare note
        v[i] *= 2.0f;
    }
}
