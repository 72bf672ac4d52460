#include <cuda_runtime.h>
#include <cstdlib>

__global__ void scan_bad(const double* v, long long n, int* flag)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (isinf(v[i])) {
        *flag = 1;
    }
}

// v: n doubles on the device, 1 <= n <= 2^36; flag: managed memory, 0 before
void require_finite(const double* v, long long n, int* flag)
{
    scan_bad<<<(unsigned)((n + 255) / 256), 256>>>(v, n, flag);
    if (cudaDeviceSynchronize() != cudaSuccess || *flag) exit(1);
}
