#include <cstdlib>
#include <cuda_runtime.h>

void upload(int n)
{
    float *host = static_cast<float *>(malloc(n * sizeof(float)));
    float *dev = nullptr;
    cudaMalloc(&dev, n * sizeof(float));
    cudaMemcpy(dev, host, n * sizeof(float), cudaMemcpyDeviceToHost); // expect: memcpy_direction reject
    cudaFree(dev);
    free(host);
}
