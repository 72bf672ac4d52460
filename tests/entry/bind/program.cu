// ask:
// get: main
#include <cstdio>
__global__ void k(float *x) { x[0] = 1; }
int main()
{
    float *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    return 0;
}
