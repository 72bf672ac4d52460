#include <cuda_runtime.h>

// Only the rows are guarded.
__global__ void halve(float *img, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < height) {
        img[y * width + x] *= 0.5f; // expect: missing_bounds_guard reject
    }
}

void run(float *img, int width, int height)
{
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    halve<<<grid, block>>>(img, width, height);
}
