#include <cuda_runtime.h>

__global__ void scale(float *x, float factor, int count)
{
#define count 1024
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) { // expect: macro_shadows_local review
        x[i] *= factor;
    }
#undef count
}
