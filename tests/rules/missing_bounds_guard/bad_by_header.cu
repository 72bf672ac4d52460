#include "launch_sizes.h"

__global__ void negate(float *x, int n)
{
    int i = global_index();
    x[i] = -x[i]; // expect: missing_bounds_guard reject
}

void run(float *x, int n)
{
    negate<<<CEIL_DIV(n, THREADS), THREADS>>>(x, n);
}
