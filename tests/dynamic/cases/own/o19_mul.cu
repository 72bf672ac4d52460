#include <cuda_runtime.h>

__global__ void mul_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i];
}

extern "C" void mul_host(const float* a, const float* b, float* c, int n) {
    float* d[3];
    for (int k = 0; k < 3; ++k) cudaMalloc(&d[k], n * sizeof(float));
    cudaMemcpy(d[0], a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, n * sizeof(float), cudaMemcpyHostToDevice);
    mul_kernel<<<(n + 127) / 128, 128>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; ++k) cudaFree(d[k]);
}
