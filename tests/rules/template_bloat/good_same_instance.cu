#include <cuda_runtime.h>

template <typename T, int N>
__global__ void shift(T *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] += N;
    }
}

void run(float *a, float *b, float *c, float *d, float *e, int n)
{
    shift<float, 1><<<(n + 63) / 64, 64>>>(a, n);
    shift<float, 1><<<(n + 63) / 64, 64>>>(b, n);
    shift<float, 1><<<(n + 63) / 64, 64>>>(c, n);
    shift<float, 1><<<(n + 63) / 64, 64>>>(d, n);
    shift<float, 1><<<(n + 63) / 64, 64>>>(e, n);
}
