#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void classify(const float* score, int* label, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) label[i] = score[i] > 0.5f ? 1 : 0;
}

// scores: device buffer of 64 floats
void print_labels(const float* scores)
{
    const int n = 64;
    int labels[n];
    int* dev = nullptr;
    cudaMalloc(&dev, n * sizeof(int));
    classify<<<(n + 63) / 64, 64>>>(scores, dev, n);
    cudaMemcpy(labels, dev, sizeof(labels), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) std::printf("%d\n", labels[i]);
    cudaFree(dev);
}
