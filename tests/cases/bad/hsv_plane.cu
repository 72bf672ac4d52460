#include <cuda_runtime.h>

__global__ void luma(const uchar4* rgb, unsigned char* y8, int w, int h)
{
    const int x = blockIdx.y * blockDim.x + threadIdx.x;
    const int y = blockIdx.x * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        const uchar4 p = rgb[y * w + x];
        y8[y * w + x] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
    }
}

// 1 <= w, h <= 16384
void to_luma(const uchar4* rgb, unsigned char* y8, int w, int h, cudaStream_t st)
{
    const dim3 block(32, 4);
    luma<<<dim3((w + 31) / 32, (h + 3) / 4), block, 0, st>>>(rgb, y8, w, h);
}
