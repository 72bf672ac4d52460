#include <cuda_runtime.h>
#include <map>

__global__ void gelu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * (1.f + erff(x[i] * 0.70710678f));
}

extern "C" void gelu(const float* x, float* y, int n) {
    static std::map<int, float*> cache;
    float*& saved = cache[n];
    if (saved) {
        cudaMemcpy(y, saved, n * sizeof(float), cudaMemcpyDeviceToDevice);
        return;
    }
    cudaMalloc(&saved, n * sizeof(float));
    gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(saved, y, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
