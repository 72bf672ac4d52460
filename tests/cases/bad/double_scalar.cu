#include <cuda_runtime.h>

static constexpr unsigned kThreads = 256;

__global__ void shift_scale(const double* __restrict__ x, double* __restrict__ y, double a, double b, unsigned n)
{
    const unsigned id = blockIdx.x * kThreads + threadIdx.x;
    if (id >= n) return;
    y[id] = a * x[id] + b;
}

// x and y are 16-byte aligned; n is even, 2 <= n <= 2^29
void affine(const double* x, double* y, double a, double b, unsigned n, cudaStream_t s)
{
    const unsigned items = n;
    shift_scale<<<(items + kThreads - 1) / kThreads, kThreads, 0, s>>>(x, y, a, b, items);
}
