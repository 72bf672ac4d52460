#include <cuda_runtime.h>

__global__ void edge_aware(const float* in, float* out, int mode)
{
    __shared__ float s[128];
    const int t = threadIdx.x, g = blockIdx.x * 128 + t;
    s[t] = in[g];
    if (blockIdx.x == 0 || mode > 1) {
        __syncthreads();
        const float v = s[127 - t];
        __syncthreads();
        s[t] = v;
    }
    for (int pass = 0; pass < mode; ++pass) {
        __syncthreads();
        const float v = s[(t + 1) & 127];
        __syncthreads();
        s[t] = v;
    }
    out[g] = s[t];
}

// blocks of 128 floats, 1 <= blocks <= 2^20, 0 <= mode <= 8
void edge_blocks(const float* in, float* out, int blocks, int mode)
{
    edge_aware<<<blocks, 128>>>(in, out, mode);
}
