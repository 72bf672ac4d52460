#include <cuda_runtime.h>

float *make(int n)
{
    float *x = nullptr;
    cudaMalloc(&x, n * sizeof(float)); // not cudaMallocManaged
    return x;
}
