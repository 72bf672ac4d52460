#include <cuda_runtime.h>

__global__ void scale(float *v, unsigned n, int limit)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && static_cast<int>(i) < limit) {
        v[i] *= 2.0f;
    }
}
