#include <cuda_runtime.h>
#include <cstdio>

#define KLOG(...) printf(__VA_ARGS__)

// Newton step for square roots, four at a time; negative input is reported and skipped.
__global__ void newton_sqrt(const float4* a, float4* x, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        const float4 v = a[i];
        float4 r = x[i];
        if (v.x < 0.f || v.y < 0.f || v.z < 0.f || v.w < 0.f) {
            KLOG("negative in packet %d\n", i);
            return;
        }
        r.x = 0.5f * (r.x + v.x / r.x);
        r.y = 0.5f * (r.y + v.y / r.y);
        r.z = 0.5f * (r.z + v.z / r.z);
        r.w = 0.5f * (r.w + v.w / r.w);
        x[i] = r;
    }
}

// 1 <= n4 <= 2^28
void newton(const float4* a, float4* x, int n4, cudaStream_t stream)
{
    newton_sqrt<<<(n4 + 255) / 256, 256, 0, stream>>>(a, x, n4);
}
