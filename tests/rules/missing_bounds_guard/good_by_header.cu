#include "launch_sizes.h"

__global__ void negate(float *x, int n)
{
    int i = global_index();
    if (i < n)
        x[i] = -x[i];
}

void run(float *x, int n)
{
    negate<<<CEIL_DIV(n, THREADS), THREADS>>>(x, n);
}
