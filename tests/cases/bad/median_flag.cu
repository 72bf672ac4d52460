#include <cuda_runtime.h>

// flag[i] = 1 where a value exceeds half of its chunk's first and last value
__global__ void flag_high(const float* __restrict__ v, unsigned char* __restrict__ flag, int n)
{
    __shared__ float limit;
    const int first = blockIdx.x * blockDim.x;
    const int last = min(first + (int)blockDim.x, n) - 1;
    if (threadIdx.x == 0) limit = 0.5f * (v[first] + v[last]);
    const int i = first + threadIdx.x;
    if (i < n) flag[i] = v[i] > limit;
}

// 1 <= n <= 2^29
void flag_chunks(const float* v, unsigned char* flag, int n, cudaStream_t stream)
{
    flag_high<<<(n + 255) / 256, 256, 0, stream>>>(v, flag, n);
}
