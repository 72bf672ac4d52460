#include <cuda_runtime.h>

__global__ void flip(float *v)
{
    __shared__ float line[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = v[i]; // expect: shared_index_out_of_range reject
    __syncthreads();
    v[i] = line[threadIdx.x % 128];
}

// n is a multiple of 256
void run(float *v, int n)
{
    flip<<<n / 256, 256>>>(v);
}
