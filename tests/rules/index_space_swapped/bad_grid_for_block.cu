#include <cuda_runtime.h>

__global__ void fill(float *v, int n)
{
    const int i = blockIdx.x * gridDim.x + threadIdx.x; // expect: index_space_swapped reject
    if (i < n) {
        v[i] = 1.0f;
    }
}

void run(float *v, int n)
{
    fill<<<(n + 127) / 128, 128>>>(v, n);
}
