#include <cuda_runtime.h>

#define M_PI 3.14 // expect: macro_undef review

__global__ void to_radians(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= static_cast<float>(M_PI / 180.0);
    }
}
