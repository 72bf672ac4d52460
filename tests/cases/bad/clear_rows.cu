#include <cuda_runtime.h>
#include <cstring>

// Clears every row whose flag is set; one thread a row.
__global__ void clear_flagged(const unsigned char *flag, float *m, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && flag[row])
        cudaMemset(m + (size_t)row * cols, 0, cols * sizeof(float));
}

/* 1 <= rows <= 2^24, 1 <= cols <= 2^16 */
void clear_rows(const unsigned char *flag, float *m, int rows, int cols)
{
    clear_flagged<<<(rows + 63) / 64, 64>>>(flag, m, rows, cols);
}
