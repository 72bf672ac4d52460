#include <cfloat>
#include <cmath>
#include <cuda_runtime.h>

#undef M_PI // expect: macro_undef review
#define FLT_MAX 1e10f // expect: macro_undef review
#define NULL 0L // expect: macro_undef review

__global__ void wrap(float *angle, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        angle[i] = fminf(fmodf(angle[i], 6.2831853f), FLT_MAX);
    }
}

void run(float *angle, int n)
{
    if (angle != NULL) {
        wrap<<<(n + 127) / 128, 128>>>(angle, n);
    }
}
