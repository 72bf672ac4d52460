#include <cuda_runtime.h>

__global__ void rmsnorm_kernel(const float* x, const float* w, float* y, int rows, int cols, float eps) {
    int row = blockIdx.x;
    int lane = threadIdx.x;
    float ss = 0.f;
    for (int i = lane; i < cols; i += 32) ss += x[row * cols + i] * x[row * cols + i];
    if (lane < 16) {
        for (int o = 16; o > 0; o >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, o);
    }
    float scale = rsqrtf(__shfl_sync(0xffffffffu, ss, 0) / cols + eps);
    for (int i = lane; i < cols; i += 32) y[row * cols + i] = x[row * cols + i] * scale * w[i];
}

extern "C" void rmsnorm(const float* x, const float* w, float* y, int rows, int cols, float eps) {
    rmsnorm_kernel<<<rows, 32>>>(x, w, y, rows, cols, eps);
}
