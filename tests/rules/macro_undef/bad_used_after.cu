#include <cuda_runtime.h>

#define TILE 128
#define CLAMP01(v) fminf(fmaxf((v), 0.0f), 1.0f)

__global__ void tone(float *x, int n)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) {
        x[i] = CLAMP01(x[i]);
    }
}

#undef TILE
#undef CLAMP01

void run(float *x, int n)
{
    const int blocks = (n + TILE - 1) / TILE; // expect: macro_undef review
    tone<<<blocks, 128>>>(x, n);
}

__global__ void tone_again(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = CLAMP01(x[i] * 2.0f); // expect: macro_undef review
    }
}
