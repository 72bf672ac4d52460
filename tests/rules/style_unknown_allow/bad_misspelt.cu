#include <cuda_runtime.h>

__global__ void clear(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = 0.0f; // cmpd: allow missing_bound_guard: padded // expect: style_unknown_allow note
}
