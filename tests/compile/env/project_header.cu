#include "not_in_this_repository.h" // expect: compile_environment

__global__ void k(float *p)
{
    p[threadIdx.x] = SOME_PROJECT_CONSTANT;
}
