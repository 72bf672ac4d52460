#include <cuda_runtime.h>

#define NTHREADS 256

__global__ void planes(const float *a, const float *b, const float *c, float *d, int n)
{
    const int i = blockIdx.x * NTHREADS + threadIdx.x;
    if (i < n)
        d[i] = fmaf(a[i], b[i], c[i]);
}

/* n is a multiple of 4, 4 <= n <= 2^30; all buffers are 16-byte aligned */
void combine_planes(const float *a, const float *b, const float *c, float *d, int n)
{
    planes<<<(n + NTHREADS - 1) / NTHREADS, NTHREADS>>>(a, b, c, d, n);
}
