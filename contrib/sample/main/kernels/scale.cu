#include <cuda_runtime.h>

// y[i] = factor * x[i], four floats a thread; the last threads take what is left over.
__global__ void scale(const float *__restrict__ x, float *__restrict__ y, float factor, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (i + 3 < n) {
        float4 v = *reinterpret_cast<const float4 *>(x + i);
        v.x *= factor;
        v.y *= factor;
        v.z *= factor;
        v.w *= factor;
        *reinterpret_cast<float4 *>(y + i) = v;
    } else {
        for (; i < n; i++)
            y[i] = factor * x[i];
    }
}

void launch_scale(const float *x, float *y, float factor, int n)
{
    const int block = 256;
    const int per_block = block * 4;

    scale<<<(n + per_block - 1) / per_block, block>>>(x, y, factor, n);
}
