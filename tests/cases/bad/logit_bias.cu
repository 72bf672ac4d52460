#include <cuda_runtime.h>

// logits[r][c] += bias[c], one warp for each row
__global__ void add_bias(float* logits, const float* bias, int rows, int cols)
{
    int row  = blockIdx.x * 8 + threadIdx.y;
    int lane = threadIdx.x;
    float* p = logits + (size_t)row * cols;
    for (int c = lane; c < cols; c += 32)
        p[c] += bias[c];
}

// rows: any value in [1, 2^24]; cols: any value in [1, 2^20]
void launch_add_bias(float* logits, const float* bias, int rows, int cols)
{
    dim3 threads(32, 8);
    add_bias<<<(rows + 7) / 8, threads>>>(logits, bias, rows, cols);
}
