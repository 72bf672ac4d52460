#include "block_shape.h"

__global__ void scale(float *x, int n)
{
    int i = flat_id();
    if (i < n)
        x[i] *= 2.0f;
}

void by_enum(float *x, int n)
{
    scale<<<blocks_for(n, NARROW), NARROW>>>(x, n);
}

/* How the header is built decides. */
void perhaps(float *x, int n)
{
    scale<<<blocks_for(n, PERHAPS), PERHAPS>>>(x, n);
}

void maybe(float *x, int n)
{
    scale<<<blocks_for(n, MAYBE), MAYBE>>>(x, n);
}

#undef WIDE
#define WIDE 256

void by_macro(float *x, int n)
{
    scale<<<blocks_for(n, WIDE), WIDE>>>(x, n);
}
