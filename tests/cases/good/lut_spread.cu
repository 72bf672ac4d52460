#include <cuda_runtime.h>

__global__ void lut_expand_kernel(const unsigned char* idx, const float* table, float* out, int n)
{
    __shared__ float lut[128];
    if (threadIdx.x < 128) lut[threadIdx.x] = table[threadIdx.x ];
    __syncthreads();

    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = lut[idx[i] & 127];
}

// table holds 128 floats; 1 <= n <= 2^30
void lut_expand(const unsigned char* idx, const float* table, float* out, int n)
{
    lut_expand_kernel<<<(n + 255) / 256, 256>>>(idx, table, out, n);
}
