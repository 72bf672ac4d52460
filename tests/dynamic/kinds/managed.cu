#include <cuda_runtime.h>

__global__ void square_sum(const float *x, float *partial, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(partial + blockIdx.x, v);
}

__global__ void total(const float *partial, float *out, int blocks)
{
    float s = 0.0f;
    for (int i = 0; i < blocks; i++)
        s += partial[i];
    *out = s;
}

void reduce_sum(const float *x, float *out, int n)
{
    float *partial;
    int blocks = (n + 255) / 256;
    cudaMallocManaged(&partial, blocks * sizeof(float));
    for (int i = 0; i < blocks; i++)
        partial[i] = 0.0f; // the host writes what the device adds to
    square_sum<<<blocks, 256>>>(x, partial, n);
    total<<<1, 1>>>(partial, out, blocks);
    cudaDeviceSynchronize();
    cudaFree(partial);
}
