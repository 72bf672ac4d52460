#include <cuda_runtime.h>

#define QUAT_LAST_COMPONENT w

// Scales the last component of each packet.
__global__ void scale_last(float4* __restrict__ q, const float* __restrict__ f, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float last = f[i];
        float4 p = q[i];
        p.QUAT_LAST_COMPONENT *= last;
        q[i] = p;
    }
}

// 1 <= n <= 2^28
void scale_last_component(float4* q, const float* f, int n)
{
    scale_last<<<(n + 127) / 128, 128>>>(q, f, n);
}
