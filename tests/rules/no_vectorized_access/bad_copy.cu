#include <cuda_runtime.h>

__global__ void copy(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i]; // expect: no_vectorized_access review
    }
}

void run(const float *in, float *out, int n)
{
    copy<<<(n + 255) / 256, 256>>>(in, out, n);
}
