#include <cuda_runtime.h>

#define UNROLL 4
#define PRECISE 1
#undef UNROLL
#undef PRECISE

#if UNROLL > 2 // expect: macro_undef review
#define STEP 4
#elif defined(PRECISE)
#define STEP 2
#else
#define STEP 1
#endif

__global__ void walk(float4 *v, int n)
{
    for (int i = threadIdx.x; i < n; i += STEP * blockDim.x) {
        v[i].x = 0.0f;
    }
}
