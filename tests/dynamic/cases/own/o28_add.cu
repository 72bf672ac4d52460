#include <cuda_runtime.h>
#include <string.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add_host(const float* h_a, const float* h_b, float* h_c, int n) {
    float *a, *b, *c, *pinned;
    size_t bytes = n * sizeof(float);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMallocHost(&pinned, bytes);
    cudaMemcpy(a, h_a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h_b, bytes, cudaMemcpyHostToDevice);
    add_kernel<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
    cudaMemcpyAsync(pinned, c, bytes, cudaMemcpyDeviceToHost, s);
    memcpy(h_c, pinned, bytes);
    cudaStreamSynchronize(s);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFreeHost(pinned);
    cudaStreamDestroy(s);
}
