#include <cuda_runtime.h>

__global__ void left_difference(const float* in, float* out, int n)
{
    __shared__ float cache[160];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * 160 + tx;
    cache[tx] = i < n ? in[i] : 0.f;
    __syncthreads();
    if (i < n && i > 0) {
        const float left = tx > 0 ? cache[tx - 1] : in[i - 1];
        out[i] = cache[tx] - left;
    } else if (i == 0) {
        out[0] = 0.f;
    }
}

// n: 1 .. 2^29
void left_diff(const float* in, float* out, int n)
{
    left_difference<<<(n + 159) / 160, 160>>>(in, out, n);
}
