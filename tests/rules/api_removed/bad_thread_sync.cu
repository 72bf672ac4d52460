#include <cuda_runtime.h>

__global__ void doubled(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void run(int *x, int n)
{
    doubled<<<(n + 127) / 128, 128>>>(x, n);
    cudaThreadSynchronize(); // expect: api_removed reject
}
