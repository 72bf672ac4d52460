#include <cuda_runtime.h>

__global__ void softmax_small(const float* x, float* y, int cols) {
    extern __shared__ float e[];
    int c = threadIdx.x;
    const float* row = x + blockIdx.x * cols;
    float m = row[0];
    for (int i = 1; i < cols; ++i) m = fmaxf(m, row[i]);
    e[c] = expf(row[c] - m);
    __syncthreads();
    float s = 0.f;
    for (int i = 0; i < cols; ++i) s += e[i];
    y[blockIdx.x * cols + c] = e[c] / s;
}

extern "C" void softmax(const float* x, float* y, int rows, int cols) {
    softmax_small<<<rows, cols, cols * sizeof(float)>>>(x, y, cols);
}
