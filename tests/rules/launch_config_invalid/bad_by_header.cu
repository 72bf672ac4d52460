#include "block_shape.h"

__global__ void scale(float *x, int n)
{
    int i = flat_id();
    if (i < n)
        x[i] *= 2.0f;
}

void by_macro(float *x, int n)
{
    scale<<<blocks_for(n, WIDE), WIDE>>>(x, n); // expect: launch_config_invalid reject
}

void by_enum(float *x, int n)
{
    scale<<<blocks_for(n, BROAD), BROAD>>>(x, n); // expect: launch_config_invalid reject
}
