#include <cuda_runtime.h>
#include <stdio.h>

static void report(int row, float worst)
{
    printf("row %d: %g\n", row, worst);
}

__global__ void worst_error(const float *a, const float *b, float *worst, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float w = 0.0f;
        for (int c = 0; c < cols; c++)
            w = fmaxf(w, fabsf(a[(size_t)r * cols + c] - b[(size_t)r * cols + c]));
        worst[r] = w;
    }
}

/* 1 <= rows <= 2^24, cols >= 1; worst: managed memory */
void compare_rows(const float *a, const float *b, float *worst, int rows, int cols)
{
    worst_error<<<(rows + 63) / 64, 64>>>(a, b, worst, rows, cols);
    if (cudaDeviceSynchronize() == cudaSuccess)
        report(0, worst[0]);
}
