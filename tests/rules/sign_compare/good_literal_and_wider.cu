#include <cuda_runtime.h>

__global__ void scale(float *v, unsigned n, long long offset)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && offset < n && i < 1024) {
        v[i] *= 2.0f;
    }
}
