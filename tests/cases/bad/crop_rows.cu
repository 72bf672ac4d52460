#include <cuda_runtime.h>

#define TRY(x) do { if ((x) != cudaSuccess) return false; } while (0)

__global__ void invert(unsigned char* img, size_t pitch, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) img[y * pitch + x] = 255 - img[y * pitch + x];
}

// 1 <= w, h <= 8192
bool invert_image(const unsigned char* pixels, int w, int h)
{
    unsigned char *pinned = nullptr, *dev = nullptr;
    size_t pitch = 0;
    TRY(cudaMallocHost(&pinned, (size_t)w * h));
    for (size_t k = 0; k < (size_t)w * h; ++k) pinned[k] = pixels[k];
    TRY(cudaMallocPitch(&dev, &pitch, w, h));
    TRY(cudaMemcpy2D(dev, pitch, pinned, w, w, h, cudaMemcpyDeviceToHost));
    invert<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(dev, pitch, w, h);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy2D(pinned, w, dev, pitch, w, h, cudaMemcpyDeviceToHost));
    TRY(cudaFree(dev));
    TRY(cudaFreeHost(pinned));
    return true;
}
