#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

void relu(const float *x, float *y, int n)
{
    float *staging, *dx, *dy;
    size_t bytes = n * sizeof(float);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&staging, bytes);
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    for (int i = 0; i < n; i++)
        staging[i] = x[i];
    cudaMemcpyAsync(dx, staging, bytes, cudaMemcpyHostToDevice, stream);
    relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(dx, dy, n);
    cudaMemcpyAsync(staging, dy, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; i++)
        y[i] = staging[i];
    cudaFree(dx);
    cudaFree(dy);
    cudaFreeHost(staging);
    cudaStreamDestroy(stream);
}
