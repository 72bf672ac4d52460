#include <cuda_runtime.h>

__global__ void cumulative(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 *o = reinterpret_cast<float2 *>(out);
    if (i < n / 2)
        o[i] = make_float2(in[2 * i] * in[2 * i], in[2 * i + 1] * in[2 * i + 1]);
}

/* n floats in and out, n even, at most 2^28; out is 8-byte aligned */
void square_all(const float *in, float *out, int n)
{
    cumulative<<<(n + 127) / 128, 128>>>(in, out, n);
}
