#include <cuda_runtime.h>

__global__ void clear(float *v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = 0.0f; // cmpd: allow missing_bounds_guard: the buffer is padded to whole blocks
}

void run(float *v, int n)
{
    clear<<<(n + 127) / 128, 128>>>(v);
}
