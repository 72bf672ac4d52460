#include <cuda_runtime.h>

__global__ void lower_triangle(double* a, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols && col > row) a[(size_t)row * cols + col] = 0.0;
}

// 1 <= rows, cols <= 100000
void keep_lower(double* a, int rows, int cols, cudaStream_t s)
{
    const dim3 block(8, 32);
    const dim3 grid((rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y);
    lower_triangle<<<grid, block, 0, s>>>(a, rows, cols);
}
