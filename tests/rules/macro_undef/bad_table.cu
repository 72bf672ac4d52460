#include <cuda_runtime.h>

#define TAPS 8
__constant__ float taps[TAPS];

#undef TAPS
#define TAPS 16 // expect: macro_undef review

__global__ void filter(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + TAPS <= n) {
        float s = 0.0f;
        for (int k = 0; k < TAPS; ++k) {
            s += taps[k] * in[i + k];
        }
        out[i] = s;
    }
}
