#include <cuda_runtime.h>

void upload(const float *host, int n)
{
    float *dev = nullptr;
    cudaMalloc(&dev, n * sizeof(float));
    cudaMemcpy(dev, host, n * sizeof(double), cudaMemcpyHostToDevice); // expect: memcpy_size reject
    cudaFree(dev);
}
