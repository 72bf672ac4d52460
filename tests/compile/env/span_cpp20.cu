#include <span>

float first(std::span<const float> s) // expect: compile_environment
{
    return s[0];
}

__global__ void k(float *p)
{
    p[threadIdx.x] = 0.0f;
}
