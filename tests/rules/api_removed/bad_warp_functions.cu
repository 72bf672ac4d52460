#include <cuda_runtime.h>

__global__ void warp_totals(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down(v, d); // expect: api_removed reject
    }
    if (__any(v > 0.0f) && threadIdx.x % 32 == 0) { // expect: api_removed reject
        out[i / 32] = v;
    }
}

void run(const float *in, float *out, int n)
{
    warp_totals<<<(n + 127) / 128, 128>>>(in, out, n);
}
