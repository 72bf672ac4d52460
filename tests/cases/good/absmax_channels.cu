#include <cuda_runtime.h>

// Largest magnitude in every column of a row-major (rows x cols) matrix.
__device__ __forceinline__ void keep_larger(float& best, float v)
{
    const float m = fabsf(v);
    if (m > best) best = m;
}

__global__ void absmax_kernel(const float* __restrict__ a, float* __restrict__ peak, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    for (int r = 0; r < rows; ++r) keep_larger(peak[c], a[(size_t)r * cols + c]);
}

// peak starts at zero; 1 <= rows, 1 <= cols <= 2^24
void absmax(const float* a, float* peak, int rows, int cols, cudaStream_t stream)
{
    absmax_kernel<<<(cols + 127) / 128, 128, 0, stream>>>(a, peak, rows, cols);
}
