#include <cuda_runtime.h>

__device__ void fill(float *p, int n);

__global__ void through(float *v, float *w, int n)
{
    fill(v, n);
    auto &first = w[0];
    first = 1.0f;
}

__global__ void unused(float *v, const float *w, float *out)
{
    out[threadIdx.x] = w[threadIdx.x];
}
