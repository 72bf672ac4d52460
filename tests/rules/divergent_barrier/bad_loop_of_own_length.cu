#include <cuda_runtime.h>

__global__ void steps(int *v)
{
    const int t = threadIdx.x;
    for (int k = 0; k < t; ++k) {
        __syncthreads(); // expect: divergent_barrier reject
    }
    v[blockIdx.x * 64 + t] = t;
}

// n is a multiple of 64
void run(int *v, int n)
{
    steps<<<n / 64, 64>>>(v);
}
