#include <cuda_runtime.h>

// A grid of two dimensions, blocks of one: y counts blocks.
__global__ void shade(float *img, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x < w && y < h) {
        img[y * w + x] *= 0.25f;
    }
}

void run_line(float *line, int w, int h)
{
    shade<<<dim3((w + 127) / 128, h), 128>>>(line, w, h);
}
