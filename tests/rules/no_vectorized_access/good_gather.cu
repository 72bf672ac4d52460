#include <cuda_runtime.h>

__global__ void gather(const int *at, const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[at[i]];
    }
}

__global__ void strided(const float *in, float *out, int n, int pitch)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i * pitch] = in[i * pitch] + in[i * pitch + 1];
    }
}

void run(const int *at, const float *in, float *out, int n)
{
    gather<<<(n + 255) / 256, 256>>>(at, in, out, n);
    strided<<<(n + 255) / 256, 256>>>(in, out, n, 3);
}
