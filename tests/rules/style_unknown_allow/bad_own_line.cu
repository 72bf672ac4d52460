#include <cuda_runtime.h>

// cmpd: allow slow_kernel: once a day // expect: style_unknown_allow note
__global__ void clear(float *v, int n)
{
    if (threadIdx.x < n) {
        v[threadIdx.x] = 0.0f;
    }
}
