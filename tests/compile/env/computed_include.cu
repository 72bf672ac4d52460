#define NAME "/etc/passwd"
#include NAME // expect-near: 2 compile_environment

__global__ void k(float *p)
{
    p[threadIdx.x] = 0.0f;
}
