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
    scale<<<(n + 127) / 128, 128>>>(v, n);
}
