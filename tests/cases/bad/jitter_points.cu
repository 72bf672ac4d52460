#include <cuda_runtime.h>
#include <cstdlib>

__global__ void jitter(float2* p, float r, int n)
{
    const int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    p[idx].x += r * (rand() % 2001 - 1000);
}

// 1 <= n <= 2^28
void jitter_points(float2* p, float r, int n)
{
    jitter<<<(n + 255) / 256, 256>>>(p, r, n);
}
