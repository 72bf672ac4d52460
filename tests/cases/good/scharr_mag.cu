#include <cuda_runtime.h>

// Gradient magnitude; the border uses clamped neighbours.
__device__ inline float px(const float* im, int r, int c, int w, int h)
{
    r = r < 0 ? 0 : (r >= h ? h - 1 : r);
    c = c < 0 ? 0 : (c >= w ? w - 1 : c);
    return im[r * w + c];
}

__global__ void gradient(const float* im, float* mag, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < width && r < height) {
        float gx = px(im, r, c + 1, width, height) - px(im, r, c - 1, width, height);
        float gy = px(im, r + 1, c, width, height) - px(im, r - 1, c, width, height);
        mag[r * width + c] = sqrtf(gx * gx + gy * gy);
    }
}

/* 1 <= width, height <= 10000 */
void gradient_magnitude(const float* im, float* mag, int width, int height)
{
    dim3 tb(32, 8);
    dim3 gr((width + 31) / 32, (height + 7) / 8);
    gradient<<<gr, tb>>>(im, mag, width, height);
}
