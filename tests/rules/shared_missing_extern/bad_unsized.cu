#include <cuda_runtime.h>

__global__ void flip(float *v)
{
    __shared__ float line[]; // expect: shared_missing_extern reject
    line[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

void run(float *v)
{
    flip<<<1, 64, 64 * sizeof(float)>>>(v);
}
