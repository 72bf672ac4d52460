#include <cuda_runtime.h>

// Threads behind the end repeat the last element.
__global__ void absolute(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i = i < n ? i : n - 1;
    out[i] = in[i] < 0.0f ? -in[i] : in[i];
}

__global__ void walk(float *v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        v[i] += 1.0f;
    }
}

void run(const float *in, float *out, int n)
{
    absolute<<<(n + 127) / 128, 128>>>(in, out, n);
    walk<<<64, 128>>>(out, n);
}
