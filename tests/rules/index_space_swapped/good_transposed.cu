#include <cuda_runtime.h>

// Columns along y: the pitch belongs to x on the side that is written.
__global__ void turn(const float *in, float *out, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) {
        out[c * rows + r] = in[r * cols + c];
    }
}

void run(const float *in, float *out, int rows, int cols)
{
    const dim3 block(32, 8);
    turn<<<dim3((cols + 31) / 32, (rows + 7) / 8), block>>>(in, out, rows, cols);
}
