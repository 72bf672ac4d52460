#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

#define DEBUG_PRINT 0
#if DEBUG_PRINT
#define TRACE(...) printf(__VA_ARGS__)
#else
#define TRACE(...)
#endif

__global__ void half_of(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(x[i] == x[i]);
        x[i] *= 0.5f;
        TRACE("x[%d] = %f\n", i, x[i]);
#ifdef VERBOSE
        printf("%d\n", i);
#endif
        // printf("%d\n", i);
    }
}

// Nothing in this file calls it from a kernel.
__host__ __device__ inline void describe(int n)
{
    printf("%d elements\n", n);
}

void run(float *x, int n)
{
    half_of<<<(n + 127) / 128, 128>>>(x, n);
    describe(n);
    printf("printf(\"in a string\")\n");
}
