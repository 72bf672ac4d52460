#include <cuda_runtime.h>

float clamp_to(float v, float top)
{
    return v < top ? v : top;
}

__global__ void clamp(float *x, float top, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = clamp_to(x[i], top); // expect: api_host_in_device reject
    }
}

void run(float *x, int n)
{
    clamp<<<(n + 127) / 128, 128>>>(x, clamp_to(2.0f, 1.0f), n);
}
