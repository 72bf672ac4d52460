#include <cuda_runtime.h>

extern "C" __global__ void relu_fwd(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0.f ? x[i] : 0.f;
}

extern "C" __global__ void relu_bwd(const float* x, const float* dy, float* dx, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!(i < n)) return;
    dx[i] = x[i] > 0.f ? dy[i] : 0.f;
}

extern "C" __global__ void rows_scale(float* m, const float* f, int rows, int cols)
{
    for (int r = blockIdx.y; r < rows; r += gridDim.y)
        for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x) m[(size_t)r * cols + c] *= f[r];
}
