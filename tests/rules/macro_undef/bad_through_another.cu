#include <cuda_runtime.h>

#define ROWS 8
#define AREA (ROWS * 32)

__global__ void rows(float *x, int n)
{
    const int i = blockIdx.x * AREA + threadIdx.x;
    if (i < n) {
        x[i] += ROWS;
    }
}

#undef ROWS

void run(float *x, int n)
{
    rows<<<(n + 255) / 256, AREA>>>(x, n); // expect: macro_undef review
}
