#include <cuda_runtime.h>

// Reverses every chunk of 256 integers.
__global__ void reverse_chunks(const int* in, int* out)
{
    extern __shared__ int tmp[];
    const int base = blockIdx.x * blockDim.x;
    tmp[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = tmp[blockDim.x - 1 - threadIdx.x];
}

// n is a multiple of 256, 256 <= n <= 2^30
void reverse(const int* in, int* out, int n)
{
    reverse_chunks<<<n / 256, 256, 256 * sizeof(int)>>>(in, out);
}
