#include <cuda_runtime.h>

__global__ void clear3(float *v, int n)
{
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = 0.0f;
    }
}

void run(float *v, int n)
{
    if (n <= 0) {
        return;
    }
    clear3<<<(n + 1023) / 1024, dim3(32, 32)>>>(v, n);
}
