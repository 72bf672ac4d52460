#include <cuda_runtime.h>

__global__ void add_row_bias(float* m, const float* bias, int cols)
{
    float* row = m + (size_t)blockIdx.x * cols;
    const int c = threadIdx.x;
    if (c < cols) row[c] += bias[c];
}

// 1 <= rows <= 2^20, 1 <= cols <= 4096
void add_bias(float* m, const float* bias, int rows, int cols, cudaStream_t stream)
{
    add_row_bias<<<rows, 256, 0, stream>>>(m, bias, cols);
}
