#include <cuda_runtime.h>
#include <cstdlib>

struct Lcg {
    unsigned s;
    __device__ int rand() { s = s * 1664525u + 1013904223u; return s >> 8; }
};

__global__ void jitter(float2* p, float r, int n)
{
    const int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    Lcg gen{idx * 2654435761u};
    p[idx].x += r * (gen.rand() % 2001 - 1000);
}

// 1 <= n <= 2^28
void jitter_points(float2* p, float r, int n)
{
    jitter<<<(n + 255) / 256, 256>>>(p, r, n);
}
