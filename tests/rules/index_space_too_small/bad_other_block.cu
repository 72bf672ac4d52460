#include <cuda_runtime.h>

constexpr int kPerBlock = 256;

__global__ void offset(int *v, int n, int by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] += by;
    }
}

void run(int *v, int n)
{
    const int blocks = (n + kPerBlock - 1) / kPerBlock;
    offset<<<blocks, 128>>>(v, n, 3); // expect: index_space_too_small reject
}
