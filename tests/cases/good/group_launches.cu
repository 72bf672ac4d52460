#include <cuda_runtime.h>

__global__ void add_scalar(float* v, float s, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > i) v[i] += s;
}

static unsigned blocks_for(int n, int block) { return static_cast<unsigned>(1 + (n - 1) / block); }

// 1 <= n <= 2^30
void add_scalar_any(float* v, float s, int n, cudaStream_t stream)
{
    if (n <= 32)
        add_scalar<<<1, 32, 0, stream>>>(v, s, n);
    else if (n <= 1 << 16)
        add_scalar<<<blocks_for(n, 128), 128, 0, stream>>>(v, s, n);
    else
        add_scalar<<<blocks_for(n, 1024), 1024, 0, stream>>>(v, s, n);
}
