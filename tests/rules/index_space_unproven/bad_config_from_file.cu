#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] *= 3.0f;
    }
}

void run(float *v, int n)
{
    int blocks = 0;
    if (std::scanf("%d", &blocks) == 1) {
        scale<<<blocks, 128>>>(v, n); // expect: index_space_unproven note
    }
}
