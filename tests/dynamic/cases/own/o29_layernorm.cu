#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void layernorm_fp16(const __half* __restrict__ x, const __half* __restrict__ gamma, const __half* __restrict__ beta,
                               __half* __restrict__ y, int rows, int cols, float eps) {
    extern __shared__ float red[];
    const __half* xr = x + (size_t)blockIdx.x * cols;
    __half* yr = y + (size_t)blockIdx.x * cols;
    float s = 0.f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) s += __half2float(xr[i]);
    red[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x >> 1; k > 0; k >>= 1) {
        if (threadIdx.x < k) red[threadIdx.x] += red[threadIdx.x + k];
        __syncthreads();
    }
    const float mean = red[0] / cols;
    __syncthreads();
    float v = 0.f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float d = __half2float(xr[i]) - mean;
        v += d * d;
    }
    red[threadIdx.x] = v;
    __syncthreads();
    for (int k = blockDim.x >> 1; k > 0; k >>= 1) {
        if (threadIdx.x < k) red[threadIdx.x] += red[threadIdx.x + k];
        __syncthreads();
    }
    const float rstd = rsqrtf(red[0] / cols + eps);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        yr[i] = __float2half((__half2float(xr[i]) - mean) * rstd * __half2float(gamma[i]) + __half2float(beta[i]));
}

extern "C" void layernorm(const __half* x, const __half* gamma, const __half* beta, __half* y, int rows, int cols, float eps) {
    const int threads = 128;
    layernorm_fp16<<<rows, threads, threads * sizeof(float)>>>(x, gamma, beta, y, rows, cols, eps);
}
