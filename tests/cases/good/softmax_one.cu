#include <cuda_runtime.h>
#include <cfloat>

constexpr int kBlock = 128;

__global__ void softmax_kernel(const float* __restrict__ in, float* __restrict__ out, int cols)
{
    __shared__ float red[kBlock];
    const int tid = threadIdx.x;
    const float* x = in + (size_t)blockIdx.x * cols;
    float* y = out + (size_t)blockIdx.x * cols;

    float m = -FLT_MAX;
    for (int c = tid; c < cols; c += kBlock) m = fmaxf(m, x[c]);
    red[tid] = m;
    __syncthreads();
    for (int s = kBlock / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();

    float sum = 0.f;
    for (int c = tid; c < cols; c += kBlock) sum += __expf(x[c] - m);
    red[tid] = sum;
    __syncthreads();
    for (int s = kBlock / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] += red[tid + s];
        __syncthreads();
    }
    const float inv = 1.f / red[0];
    for (int c = tid; c < cols; c += kBlock) y[c] = __expf(x[c] - m) * inv;
}

// rows >= 1, 1 <= cols <= 2^30
void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream)
{
    softmax_kernel<<<rows, kBlock, 0, stream>>>(in, out, cols);
}
