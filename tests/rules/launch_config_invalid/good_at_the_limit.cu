#include <cuda_runtime.h>

__global__ void clear(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = 0.0f;
    }
}

void run(float *v, int n)
{
    clear<<<(n + 1023) / 1024, 1024>>>(v, n);
}
