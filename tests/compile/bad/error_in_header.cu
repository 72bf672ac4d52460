#include <cstdio>
#include "include/broken.cuh" // expect: compile_error

__global__ void k(float *p)
{
    p[threadIdx.x] = relu(p[threadIdx.x]);
}
