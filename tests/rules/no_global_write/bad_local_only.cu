#include <cuda_runtime.h>

__global__ void brighten(const float *in, float *out, int n, float gain) // expect: no_global_write reject
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = in[i];
        v *= gain;
    }
}

void run(const float *in, float *out, int n, float gain)
{
    brighten<<<(n + 255) / 256, 256>>>(in, out, n, gain);
}
