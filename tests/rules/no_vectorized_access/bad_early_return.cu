#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gate(const __half *a, const __half *b, __half *out, unsigned n)
{
    const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n)
        return;
    const __half x = a[i];
    out[i] = __hmul(x, b[i]); // expect: no_vectorized_access review
}

void run(const __half *a, const __half *b, __half *out, unsigned n)
{
    gate<<<(n + 127) / 128, 128>>>(a, b, out, n);
}
