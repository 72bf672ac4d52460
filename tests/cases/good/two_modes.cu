#include <cuda_runtime.h>

#ifndef GAIN
#define GAIN 2.0f
#endif
#define LOSS 0.5f

__global__ void amplify(float4 *a, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 q = a[i];
        a[i] = make_float4(GAIN * q.x, GAIN * q.y, GAIN * q.z, GAIN * q.w);
    }
}

__global__ void attenuate(float4 *a, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 q = a[i];
        a[i] = make_float4(LOSS * q.x, LOSS * q.y, LOSS * q.z, LOSS * q.w);
    }
}

/* 1 <= n4 <= 2^28 */
void set_level(float4 *a, int n4, bool louder)
{
    if (louder)
        amplify<<<(n4 + 127) / 128, 128>>>(a, n4);
    else
        attenuate<<<(n4 + 127) / 128, 128>>>(a, n4);
}
