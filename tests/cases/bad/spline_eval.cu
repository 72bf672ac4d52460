#include <cuda_runtime.h>

// Cubic through four control values a row, evaluated at `cols` places.
__global__ void eval(const float4* __restrict__ ctrl, float* __restrict__ out)
{
    const float t = threadIdx.x / (float)blockDim.x;
    const float4 c = ctrl[blockIdx.x];
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = ((c.w * t + c.z) * t + c.y) * t + c.x;
}

// rows: 1 .. 2^20, cols: 1 .. 4096
void spline(const float4* ctrl, float* out, int rows, int cols, cudaStream_t stream)
{
    eval<<<rows, cols, 0, stream>>>(ctrl, out);
}
