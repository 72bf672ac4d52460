#include <cuda_runtime.h>

#define width 64

__global__ void rows(const float *in, float *out, int width) // expect: macro_shadows_local review
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2.0f;
}
