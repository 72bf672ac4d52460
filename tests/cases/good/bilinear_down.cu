#include <cuda_runtime.h>

__global__ void resample(const float *src, int sw, int sh, float *dst, int width, int height)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x;
    const int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= width) return;
    if (y >= height) return;

    const float fx = (x + 0.5f) * sw / width - 0.5f;
    const float fy = (y + 0.5f) * sh / height - 0.5f;
    const int x0 = max(0, min(sw - 1, (int)floorf(fx)));
    const int y0 = max(0, min(sh - 1, (int)floorf(fy)));
    const int x1 = min(sw - 1, x0 + 1), y1 = min(sh - 1, y0 + 1);
    const float ax = fminf(fmaxf(fx - x0, 0.0f), 1.0f), ay = fminf(fmaxf(fy - y0, 0.0f), 1.0f);
    const float top = src[y0 * sw + x0] * (1 - ax) + src[y0 * sw + x1] * ax;
    const float low = src[y1 * sw + x0] * (1 - ax) + src[y1 * sw + x1] * ax;
    dst[y * width + x] = top * (1 - ay) + low * ay;
}

// All extents between 16 and 8192.
void resize(const float *src, int sw, int sh, float *dst, int width, int height, cudaStream_t stream)
{
    dim3 block(16, 16);
    dim3 grid;
    grid.x = (width + 15) / 16;
    grid.y = (height + 15) / 16;
    resample<<<grid, block, 0, stream>>>(src, sw, sh, dst, width, height);
}
