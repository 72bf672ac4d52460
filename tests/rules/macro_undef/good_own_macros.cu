#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

// The same number again: nothing changes.
#define M_SQRT2 1.41421356237309504880

// Switches that headers only test.
#undef __CUDA_NO_HALF_OPERATORS__
#undef NDEBUG
#define _USE_MATH_DEFINES

#undef max
#undef min

// Hides a standard type for a while.
#define uint32_t unsigned long
using wide = uint32_t;
#undef uint32_t
using narrow = uint32_t;

// One constant a section: the two have nothing to do with each other.
#define WIDTH 4
__global__ void sum4(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < WIDTH; ++k) {
            s += in[i * WIDTH + k];
        }
        out[i] = s * static_cast<float>(M_PI) * static_cast<float>(M_SQRT2);
    }
}
#undef WIDTH

#define WIDTH 8
__global__ void sum8(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < WIDTH; ++k) {
            s += in[i * WIDTH + k];
        }
        out[i] = fmaxf(s, max(1.0f, 0.5f));
    }
}
#undef WIDTH

// An X-macro.
#define EACH_SIZE(X) X(32) X(64)
#define DECLARE(n)                           \
    __global__ void fill_##n(float *x)       \
    {                                        \
        x[blockIdx.x * n + threadIdx.x] = n; \
    }
EACH_SIZE(DECLARE)
#undef DECLARE

template <int WIDTH>
__global__ void sum_any(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < WIDTH; ++k) {
            s += in[i * WIDTH + k];
        }
        out[i] = s;
    }
}

void run(const float *in, float *out, float *x, int n)
{
    sum4<<<(n + 127) / 128, 128>>>(in, out, n);
    sum8<<<(n + 127) / 128, 128>>>(in, out, n);
    sum_any<2><<<(n + 127) / 128, 128>>>(in, out, n);
#define DECLARE(n) fill_##n<<<1, n>>>(x);
    EACH_SIZE(DECLARE)
#undef DECLARE
}
