#include <cuda_runtime.h>

void managed(const float *from, int n)
{
    float *both = nullptr;
    cudaMallocManaged(&both, n * sizeof(float));
    cudaMemcpy(both, from, n * sizeof(float), cudaMemcpyHostToHost);
    cudaMemcpy(both, from, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaFree(both);
}
