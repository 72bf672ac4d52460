#include <cuda_runtime.h>

__global__ void mul_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i];
}

extern "C" void mul_streams(const float* h_a, const float* h_b, float* h_c, int n) {
    cudaStream_t copy, work;
    cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    float *a, *b, *c, *pa, *pb;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMallocHost(&pa, n * sizeof(float));
    cudaMallocHost(&pb, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        pa[i] = h_a[i];
        pb[i] = h_b[i];
    }
    cudaMemcpyAsync(a, pa, n * sizeof(float), cudaMemcpyHostToDevice, copy);
    cudaMemcpyAsync(b, pb, n * sizeof(float), cudaMemcpyHostToDevice, copy);
    mul_kernel<<<(n + 255) / 256, 256, 0, work>>>(a, b, c, n);
    cudaMemcpyAsync(h_c, c, n * sizeof(float), cudaMemcpyDeviceToHost, work);
    cudaStreamSynchronize(work);
    cudaStreamSynchronize(copy);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFreeHost(pa);
    cudaFreeHost(pb);
    cudaStreamDestroy(copy);
    cudaStreamDestroy(work);
}
