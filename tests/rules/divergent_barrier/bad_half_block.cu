#include <cuda_runtime.h>

__global__ void fold(float *v)
{
    __shared__ float s[128];
    const int t = threadIdx.x;
    s[t] = v[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) {
        s[t] += s[t + 64];
        __syncthreads(); // expect: divergent_barrier reject
    }
    v[blockIdx.x * 128 + t] = s[t % 64];
}

// n is a multiple of 128
void run(float *v, int n)
{
    fold<<<n / 128, 128>>>(v);
}
