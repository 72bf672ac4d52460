#include <cuda_runtime.h>

static inline int divUp(int a, int b) { return (a + b - 1) / b; }

__global__ void hueShift(const float* hue, float* shifted, float delta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        float h = hue[i] + delta;
        shifted[i] = h - floorf(h);
    }
}

// n: 1 .. 2^30, any value
void launchHueShift(const float* hue, float* shifted, float delta, int n)
{
    const int threads = 256;
    hueShift<<<divUp(n, threads), threads>>>(hue, shifted, delta, n);
}
