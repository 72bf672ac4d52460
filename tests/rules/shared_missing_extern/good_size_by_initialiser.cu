#include <cuda_runtime.h>

template <int N>
__global__ void flip(float *v)
{
    static const float weights[] = {0.25f, 0.5f, 0.25f};
    __shared__ float line[N];
    line[threadIdx.x] = v[threadIdx.x] * weights[threadIdx.x % 3];
    __syncthreads();
    v[threadIdx.x] = line[N - 1 - threadIdx.x];
}

void run(float *v)
{
    flip<64><<<1, 64>>>(v);
}
