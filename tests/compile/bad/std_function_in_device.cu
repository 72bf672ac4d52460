#include <vector>

__global__ void k(float *p)
{
    std::vector<float> v(4); // expect: compile_error
    p[threadIdx.x] = v[0];
}
