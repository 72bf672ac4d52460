#include <cuda_runtime.h>

#define x y

__global__ void keep_first(const float2 *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i].x; // expect: macro_shadows_local review
        out[i] = x;
    }
}
