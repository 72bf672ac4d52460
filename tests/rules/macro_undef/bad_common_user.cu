#include <cuda_runtime.h>

#define SCALE 2
__global__ void up(int4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i].x *= SCALE;
    }
}
#undef SCALE
#define SCALE 3 // expect: macro_undef review
__global__ void up_more(int4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i].x *= SCALE;
    }
}

void both(int4 *v, int n)
{
    up<<<(n + 63) / 64, 64>>>(v, n);
    up_more<<<(n + 63) / 64, 64>>>(v, n);
}
