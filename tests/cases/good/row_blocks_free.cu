#include <cuda_runtime.h>

// y[row][*] = x[row][*] - x[row][0]
__global__ void subtract_first(const float* x, float* y, int cols)
{
    const size_t at = (size_t)blockIdx.x * cols;
    const float first = x[at];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[at + c] = x[at + c] - first;
}

// rows >= 1, cols >= 1
void subtract_first_column(const float* x, float* y, int rows, int cols)
{
    const int threads = cols < 256 ? 64 : 256;
    subtract_first<<<rows, threads>>>(x, y, cols);
}
