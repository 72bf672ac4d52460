#include <cuda_runtime.h>

// One quaternion an element of a (rows x cols) field.
__global__ void conj_quat(const float4* __restrict__ q, float4* __restrict__ r, int rows, int cols)
{
    const int col = blockIdx.x * 32 + threadIdx.x;
    const int row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && col < cols) {
        const float4 v = q[row * cols + col];
        r[row * cols + col] = make_float4(-v.x, -v.y, -v.z, v.w);
    }
}

// 8 <= rows <= 16384, 1 <= cols <= 16384
void conjugate(const float4* q, float4* r, int rows, int cols, cudaStream_t stream)
{
    const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    conj_quat<<<grid, dim3(32, 8), 0, stream>>>(q, r, rows, cols);
}
