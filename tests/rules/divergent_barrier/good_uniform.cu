#include <cuda_runtime.h>

__global__ void fold(float *v, int rounds)
{
    __shared__ float s[128];
    const int t = threadIdx.x;
    s[t] = v[blockIdx.x * 128 + t];
    __syncthreads();
    for (int k = 0; k < rounds; ++k) {
        const float next = s[(t + 1) % 128];
        __syncthreads();
        s[t] = next;
        __syncthreads();
    }
    if (blockIdx.x % 2 == 0) {
        __syncthreads();
        v[blockIdx.x * 128 + t] = s[127 - t];
    }
}

// n is a multiple of 128
void run(float *v, int n)
{
    fold<<<n / 128, 128>>>(v, 3);
}
