#include <cuda_runtime.h>

#define THREADS 256

__global__ void sphereKernel(const double *r, double *out, int count)
{
    int tid = threadIdx.x + blockIdx.x * THREADS;

    if (tid < count) {
        double value;
        out = &value;
        value = 4.0 * 3.14159265358979323846 * r[tid] * r[tid];
        *out = value / 3.0 * r[tid];
    }
}

/* count: 1 .. 2^29 */
extern "C" void sphere(const double *r, double *out, int count)
{
    int blocks = (count + THREADS - 1) / THREADS;
    sphereKernel<<<blocks, THREADS>>>(r, out, count);
}
