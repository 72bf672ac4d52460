#include <cuda_runtime.h>

__constant__ float c_alpha;

__global__ void axpy_out(const float* x, const float* y, float* z, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) z[i] = fmaf(c_alpha, x[i], y[i]);
}

extern "C" void axpy(size_t n, const float alpha, const float* x, const float* y, float* z) {
    cudaMemcpyToSymbol(c_alpha, &alpha, sizeof(float));
    if (n) axpy_out<<<(unsigned)((n + 255) / 256), 256>>>(x, y, z, n);
}
