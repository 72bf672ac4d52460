#include <cuda_runtime.h>

__global__ void square(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] *= v[i];
    }
}

void run(float *v, int n)
{
    square<<<n / 256, 256>>>(v, n); // expect: index_space_too_small reject
}
