#include <cuda_runtime.h>
#include <vector>

__global__ void premultiply(uchar4* p, int total)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    uchar4 c = p[i];
    c.x = c.x * c.w / 255;
    c.y = c.y * c.w / 255;
    c.z = c.z * c.w / 255;
    p[i] = c;
}

// image: rows * cols pixels on the host; 1 <= rows, cols <= 8192
void premultiply_image(std::vector<uchar4>& image, int rows, int cols)
{
    uchar4* d = nullptr;
    const int total = rows * cols;
    cudaMalloc(&d, total * sizeof(uchar4));
    cudaMemcpy(d, image.data(), total * sizeof(uchar4), cudaMemcpyHostToDevice);
    premultiply<<<(total + 255) / 256, 256>>>(d, total);
    cudaMemcpy(image.data(), d, (size_t)rows * cols * sizeof(uchar4), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
