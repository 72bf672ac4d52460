#include <cuda_runtime.h>

#define SIDE 64

__global__ void clear2(float *img, int w, int h)
{
    const int x = blockIdx.x * SIDE + threadIdx.x;
    const int y = blockIdx.y * SIDE + threadIdx.y;
    if (x < w && y < h) {
        img[y * w + x] = 0.0f;
    }
}

void run(float *img, int w, int h)
{
    dim3 block(SIDE, SIDE);
    dim3 grid((w + SIDE - 1) / SIDE, (h + SIDE - 1) / SIDE);
    clear2<<<grid, block>>>(img, w, h); // expect: launch_config_invalid reject
}
