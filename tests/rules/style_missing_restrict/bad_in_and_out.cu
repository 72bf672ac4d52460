#include <cuda_runtime.h>

__global__ void twice(const float *in, float *out, int n) // expect: style_missing_restrict note
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0f * in[i];
    }
}

void run(const float *in, float *out, int n)
{
    twice<<<(n + 127) / 128, 128>>>(in, out, n);
}
