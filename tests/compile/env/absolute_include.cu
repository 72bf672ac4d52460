// Reads a file that is no business of the compiler's.
#include "/etc/hostname" // expect: compile_environment

__global__ void k(float *p)
{
    p[threadIdx.x] = 0.0f;
}
