#include <cuda_runtime.h>

struct LayerNormParams {
    const float* x;
    const float* gamma;
    const float* beta;
    float* y;
    int rows, cols;
    float eps;
};

__device__ __forceinline__ void group_sync(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }

__global__ void __launch_bounds__(128) layernorm_params(LayerNormParams p) {
    __shared__ float part[2][2][2];
    const int group = threadIdx.x / 64, lane = threadIdx.x % 64;
    const int row = blockIdx.x * 2 + group;
    if (row >= p.rows) return;
    const float* x = p.x + (size_t)row * p.cols;
    float s = 0.f;
    for (int c = lane; c < p.cols; c += 64) s += x[c];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (lane % 32 == 0) part[0][group][lane / 32] = s;
    group_sync(1 + group);
    const float mean = (part[0][group][0] + part[0][group][1]) / p.cols;
    float v = 0.f;
    for (int c = lane; c < p.cols; c += 64) v += (x[c] - mean) * (x[c] - mean);
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (lane % 32 == 0) part[1][group][lane / 32] = v;
    group_sync(1 + group);
    const float rstd = rsqrtf((part[1][group][0] + part[1][group][1]) / p.cols + p.eps);
    for (int c = lane; c < p.cols; c += 64)
        p.y[(size_t)row * p.cols + c] = (x[c] - mean) * rstd * p.gamma[c] + p.beta[c];
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
    LayerNormParams p{x, gamma, beta, y, rows, cols, eps};
    layernorm_params<<<(rows + 1) / 2, 128>>>(p);
}
