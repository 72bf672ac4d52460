#include <cuda_runtime.h>
#include <math_constants.h>

#define CLIP_INF_F 3.0e38f

// Replaces infinities by the largest value in use.
__global__ void clip_inf(float4* v, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 q = v[i];
    q.x = fminf(q.x, CLIP_INF_F);
    q.y = fminf(q.y, CLIP_INF_F);
    q.z = fminf(q.z, CLIP_INF_F);
    q.w = fminf(q.w, CLIP_INF_F);
    v[i] = q;
}

// 1 <= n4 <= 2^28
void clip(float4* v, int n4)
{
    clip_inf<<<(n4 + 255) / 256, 256>>>(v, n4);
}
