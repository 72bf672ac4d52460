#include <cuda_runtime.h>

#define BLOCK 256

// One block a row: out[row] = sum of x[row][0..cols).
__global__ void row_total(const float *x, float *out, int cols)
{
    __shared__ float part[BLOCK];
    const float *row = x + static_cast<size_t>(blockIdx.x) * cols;
    float sum = 0.0f;

    for (int c = threadIdx.x; c < cols; c += BLOCK)
        sum += row[c];
    part[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

void launch_row_total(const float *x, float *out, int rows, int cols)
{
    row_total<<<rows, BLOCK>>>(x, out, cols);
}
