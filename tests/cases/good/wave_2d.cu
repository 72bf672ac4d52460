#include <cuda_runtime.h>

__global__ void superpose(const float* a, const float* b, float* sum, int n)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

// 1 <= n <= 2^28
void launch_superpose(const float* a, const float* b, float* sum, int n)
{
    superpose<<<(n + 511) / 512, 512>>>(a, b, sum, n);
}
