#include <cuda_runtime.h>

float *make(int n)
{
    float *x = nullptr;
    cudaMallocManaged(&x, n * sizeof(float)); // expect: api_denied review
    return x;
}

void drop(float *x)
{
    cudaFree(x);
    cudaDeviceReset(); // expect: api_denied review
}
