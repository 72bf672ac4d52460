#include <cuda_runtime.h>

float first_of(int n, cudaStream_t s)
{
    float *dev;
    float result[4];
    cudaMalloc((void **)&dev, sizeof(float) * n);
    cudaMemsetAsync(dev, 0, sizeof(float) * n, s);
    cudaMemcpyAsync(result, dev, sizeof result, cudaMemcpyHostToDevice, s); // expect: memcpy_direction reject
    cudaStreamSynchronize(s);
    cudaFree(dev);
    return result[0];
}
