#include <cuda_runtime.h>

__global__ void sum(const int *v, long long *out, unsigned count)
{
    long long s = 0;
    for (int k = 0; k < count; ++k) { // expect: sign_compare note
        s += v[k];
    }
    *out = s;
}
