#include <cuda_runtime.h>

__global__ void negate4(float* v, int n)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * q + 3 < n) {
        float4* p = reinterpret_cast<float4*>(v) + q;
        *p = make_float4(-p->x, -p->y, -p->z, -p->w);
    } else {
        for (int i = 4 * q; i < n; ++i) v[i] = -v[i];
    }
}

// v: 16-byte aligned buffer of n floats, n any value from 1 to 2^29
void negate(float* v, int n)
{
    const int quads = (n + 3) / 4;
    negate4<<<(quads + 127) / 128, 128>>>(v, n);
}
