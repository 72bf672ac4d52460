#include <cuda_runtime.h>

__global__ void twice(float *in, float *out, int n) // expect: style_missing_const note
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0f * in[i];
    }
}
