#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *x, float k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= k;
    }
}

int scale_host(float *host, float k, int n)
{
    float *x = nullptr;
    if (cudaMaloc(&x, n * sizeof(float)) != cudaSuccess) { // expect: api_unknown reject
        return 1;
    }
    cudaMemCpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice); // expect: api_unknown reject
    scale<<<(n + 255) / 256, 256>>>(x, k, n);
    cudaError_t rc = cudaDeviceSyncronize(); // expect: api_unknown reject
    if (rc != cudaSuccess) {
        printf("%s\n", cudaGetErrorstring(rc)); // expect: api_unknown reject
    }
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(x);
    return 0;
}
