#include <cstdlib>
#include <cuda_runtime.h>

// nvcc only warns here, since the host may call it too.
__host__ __device__ int noise(int top)
{
    return rand() % top; // expect: api_host_in_device review
}

__global__ void dither(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += noise(3);
    }
}

void run(int *x, int n)
{
    dither<<<(n + 127) / 128, 128>>>(x, n);
}
