#include <cuda_runtime.h>
#include <vector>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i], 0.0f);
}

std::vector<float> relu(const std::vector<float> &x)
{
    std::vector<float> out(x.size());
    size_t bytes = x.size() * sizeof(float);
    float *dx, *dy;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    relu_kernel<<<(x.size() + 255) / 256, 256>>>(dx, dy, (int)x.size());
    cudaMemcpy(out.data(), dy, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    return out;
}
