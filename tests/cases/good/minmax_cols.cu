#include <cuda_runtime.h>
#include <cfloat>

__global__ void minmax_kernel(const float* data, float2* out, int len)
{
    extern __shared__ float2 pair[];
    const unsigned t = threadIdx.x;
    float2 p = make_float2(FLT_MAX, -FLT_MAX);
    for (int i = t; i < len; i += blockDim.x) {
        const float v = data[(size_t)blockIdx.x * len + i];
        p.x = fminf(p.x, v);
        p.y = fmaxf(p.y, v);
    }
    pair[t] = p;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s != 0; s >>= 1) {
        if (t < s) {
            pair[t].x = fminf(pair[t].x, pair[t + s].x);
            pair[t].y = fmaxf(pair[t].y, pair[t + s].y);
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = pair[0];
}

// rows >= 1, 1 <= len <= 2^30
void minmax(const float* data, float2* out, int rows, int len, cudaStream_t stream)
{
    const int threads = 512;
    minmax_kernel<<<rows, threads, threads * sizeof(float2), stream>>>(data, out, len);
}
