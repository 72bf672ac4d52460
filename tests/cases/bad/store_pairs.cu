#include <cuda_runtime.h>

__global__ void cumulative(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double *o = reinterpret_cast<double *>(out);
    if (i < n)
        o[i] = (double)in[i] * in[i];
}

/* n floats in and out, n even, at most 2^28; out is 8-byte aligned */
void square_all(const float *in, float *out, int n)
{
    cumulative<<<(n + 127) / 128, 128>>>(in, out, n);
}
