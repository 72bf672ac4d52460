#include <cuda_runtime.h>

__global__ void byte_op(const unsigned char *a, const unsigned char *b, unsigned char *c, unsigned n)
{
    const unsigned i = blockIdx.x * 512u + threadIdx.x;
    if (i >= n / 16) return;
    const uint4 u = ((const uint4 *)a)[i];
    const uint4 v = ((const uint4 *)b)[i];
    uint4 w;
    w.x = __vadd4(u.x, v.x);
    w.y = __vadd4(u.y, v.y);
    w.z = __vadd4(u.z, v.z);
    w.w = __vadd4(u.w, v.w);
    ((uint4 *)c)[i] = w;
}

// All three images are 256-byte aligned; n is a multiple of 16 and at most 2^30.
void combine(const unsigned char *a, const unsigned char *b, unsigned char *c, unsigned n, cudaStream_t s)
{
    const unsigned units = n / 16;
    byte_op<<<(units + 511) / 512, 512, 0, s>>>(a, b, c, n);
}
