#include <cuda_runtime.h>

#define TX 32
#define TY 8

// Turns every 8 x 32 tile into a 32 x 8 one. Rows and columns are whole tiles.
__global__ void turn_tiles(const int *in, int *out, int cols)
{
    __shared__ int tile[TY][TX];
    int x = threadIdx.x, y = threadIdx.y;
    const int *src = in + ((size_t)blockIdx.y * TY) * cols + blockIdx.x * TX;

    tile[x][y] = src[(size_t)y * cols + x];
    __syncthreads();

    int flat = y * TX + x;
    int *dst = out + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * (TX * TY);
    dst[flat] = tile[flat / TY][flat % TY];
}

/* rows is a multiple of 8 up to 65536, cols a multiple of 32 up to 2^20 */
void turn(const int *in, int *out, int rows, int cols)
{
    dim3 grid(cols / TX, rows / TY), block(TX, TY);
    turn_tiles<<<grid, block>>>(in, out, cols);
}
