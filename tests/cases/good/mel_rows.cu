#include <cuda_runtime.h>

__global__ void outer(const float *u, const float *v, float *out, int n, int m)
{
    int i = blockIdx.y * 8 + threadIdx.y;
    int j = blockIdx.x * 32 + threadIdx.x;

    if (i < n && j < m)
        out[(size_t)i * m + j] = u[i] * v[j];
}

/* 1 <= n, m <= 20000, not multiples of anything in particular */
void outer_product(const float *u, const float *v, float *out, int n, int m)
{
    dim3 block(32, 8);
    dim3 grid((m + 31) / 32, (n + 7) / 8);
    outer<<<grid, block>>>(u, v, out, n, m);
}
