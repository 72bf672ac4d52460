#include "include/generic.cuh"

__global__ void k(float *p, float3 a, float2 b)
{
    p[0] = length(a);
    p[1] = length(b); // expect: compile_error
}
