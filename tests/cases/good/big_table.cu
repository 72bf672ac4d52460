#include <cuda_runtime.h>

__global__ void center(float* m, const float* mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols)
        return;
    m[(size_t)r * cols + c] -= mean[c];
}

/* 1 <= rows, cols <= 100000 */
void subtract_mean(float* m, const float* mean, int rows, int cols)
{
    dim3 block(32, 8);
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    center<<<grid, block>>>(m, mean, rows, cols);
}
