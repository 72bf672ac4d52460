#include <cuda_runtime.h>

#define BARRIER() __syncthreads()
#define INSIDE(i, n) ((i) < (n))
#define NT 128

__global__ void shift_in_block(const float *a, float *b, int n)
{
    __shared__ float s[NT];
    int i = blockIdx.x * NT + threadIdx.x;
    s[threadIdx.x] = INSIDE(i, n) ? a[i] : 0.0f;
    BARRIER();
    if (INSIDE(i, n))
        b[i] = s[(threadIdx.x + 1) % NT];
}

/* 1 <= n <= 2^30 */
void shift_blocks(const float *a, float *b, int n)
{
    shift_in_block<<<(n + NT - 1) / NT, NT>>>(a, b, n);
}
