#include <cuda_runtime.h>

__global__ void index_of(int *v, int n)
{
    const int i = threadIdx.x * blockDim.x + blockIdx.x; // expect: index_space_swapped reject
    if (i < n) {
        v[i] = i;
    }
}

void run(int *v, int n)
{
    index_of<<<(n + 63) / 64, 64>>>(v, n);
}
