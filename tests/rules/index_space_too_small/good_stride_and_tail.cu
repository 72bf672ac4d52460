#include <cuda_runtime.h>

__global__ void square(float *v, int n)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        v[i] *= v[i];
    }
}

__global__ void pairs(float2 *v, int n2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        v[i].x += v[i].y;
    }
}

void run(float *v, float2 *w, int n, int n2)
{
    square<<<n / 256 + 1, 256>>>(v, n);
    pairs<<<(n2 - 1) / 64 + 1, 64>>>(w, n2);
}
