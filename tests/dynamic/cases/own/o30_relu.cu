#include <cuda_runtime.h>

__global__ void relu_counted(const float* x, float* y, int n) {
    __shared__ int positives;
    if (threadIdx.x == 0) positives = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.f;
    if (v > 0.f) {
        atomicAdd(&positives, 1);
        __syncthreads();
    }
    if (i < n) y[i] = v > 0.f ? v : 0.f;
}

extern "C" void relu(const float* x, float* y, int n) { relu_counted<<<(n + 127) / 128, 128>>>(x, y, n); }
