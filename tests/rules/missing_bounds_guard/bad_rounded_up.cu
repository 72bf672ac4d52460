#include <cuda_runtime.h>

__global__ void negate(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = -v[i]; // expect: missing_bounds_guard reject
}

void run(float *v, int n)
{
    negate<<<(n + 255) / 256, 256>>>(v, n);
}
