#include <cuda_runtime.h>
#include <cstdint>

__global__ void negate_words(uint32_t* w, int words)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < words) w[i] = ~w[i];
}

// bytes: host buffer of `count` bytes, a multiple of 4, 4 <= count <= 2^28
void negate(uint8_t* bytes, int count)
{
    uint8_t* dev = nullptr;
    cudaMalloc(&dev, count);
    cudaMemcpy(dev, bytes, count, cudaMemcpyHostToDevice);
    const int words = count;
    negate_words<<<(words + 127) / 128, 128>>>(reinterpret_cast<uint32_t*>(dev), words);
    cudaMemcpy(bytes, dev, count, cudaMemcpyDeviceToHost);
    cudaFree(dev);
}
