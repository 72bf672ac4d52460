#include <cuda_runtime.h>

#define VERBOSE 1
#if VERBOSE
#define LEVEL 2
#endif
#undef VERBOSE

#define TRACE
#undef TRACE // take this line out to trace

#ifdef TRACE
#define NOTE(x) printf x
#else
#define NOTE(x)
#endif

#if defined(VERBOSE) && VERBOSE
#define MORE 1
#else
#define MORE 0
#endif

#define VERBOSE 0
#if VERBOSE
#define MUCH 1
#endif

__global__ void walk(float4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    NOTE(("%d\n", i));
    if (i < n) {
        v[i].x = LEVEL + MORE;
    }
}
