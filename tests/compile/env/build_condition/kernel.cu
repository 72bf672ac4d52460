#ifdef USE_SINGLE
#include "single.h"
#else
#include "double.h"
#endif

__global__ void k(real *p)
{
    p[threadIdx.x] = of_single(p[threadIdx.x]); // expect: compile_environment
}
