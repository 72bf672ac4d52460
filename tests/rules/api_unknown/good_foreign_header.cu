#include "helpers.cuh" // not here: it may declare what is called below

__global__ void fill(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = __ldgs(x + i);
    }
}

void run(float *x, int n)
{
    cudaMallocs(&x, n);
    fill<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronized();
}
