#include <cuda_runtime.h>

__global__ void wrap_phase(float* p, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) p[i] = remainderf(p[i], 6.2831853f);
}

// 1 <= n <= 2^20
void wrap_phases(float* p, int n)
{
    wrap_phase<<<n >> 8, 256>>>(p, n);
}
