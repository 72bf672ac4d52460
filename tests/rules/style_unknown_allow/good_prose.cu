#include <cuda_runtime.h>

// This file allows any tag that is known. "cmpd: allow" is how it is written.
static const char *const text = "// cmpd: allow nothing_of_the_kind: in a string";

__global__ void clear(float *v, int n)
{
    if (threadIdx.x < n) {
        v[threadIdx.x] = 0.0f;
    }
}

const char *about()
{
    return text;
}
