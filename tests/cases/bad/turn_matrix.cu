#include <cuda_runtime.h>

namespace {
constexpr int DIM = 32;
constexpr int ROWS = 8;
}

__global__ void turn(const double* __restrict__ in, double* __restrict__ out, int height, int width)
{
    __shared__ double tile[DIM][DIM + 1];
    int x = blockIdx.x * DIM + threadIdx.x;
    int y = blockIdx.y * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];

    x = blockIdx.y * DIM + threadIdx.x;
    y = blockIdx.x * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < height && y + j < width) out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// 1 <= height, width <= 1000000
void turn_image(const double* in, double* out, int height, int width, cudaStream_t stream)
{
    const dim3 grid((width + DIM - 1) / DIM, (height + DIM - 1) / DIM);
    turn<<<grid, dim3(DIM, ROWS), 0, stream>>>(in, out, height, width);
}
