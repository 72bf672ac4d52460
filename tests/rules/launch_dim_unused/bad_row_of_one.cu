#include <cuda_runtime.h>

// 1 <= w, h <= 4096
__global__ void shade(float *img, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        img[y * w + x] *= 0.25f;
    }
}

void run(float *img, int w, int h)
{
    shade<<<(w + 127) / 128, 128>>>(img, w, h); // expect: launch_dim_unused reject
}
