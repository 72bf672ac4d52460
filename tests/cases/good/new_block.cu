#include <cuda_runtime.h>

__global__ void rank(const int* key, int* pos, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = 0;
    for (int j = 0; j < n; ++j) r += key[j] < key[i] || (key[j] == key[i] && j < i);
    pos[i] = r;
}

// pos: device buffer of n ints, 1 <= n <= 65536
void rank_sequence(int* pos, int n, int seed)
{
    int* host = new int[n];
    for (int i = 0; i < n; ++i) host[i] = (i * 7919 + seed) % n;
    int* dev;
    cudaMalloc(&dev, n * sizeof(int));
    cudaMemcpy(dev, host, n * sizeof(int), cudaMemcpyHostToDevice);
    rank<<<(n + 127) / 128, 128>>>(dev, pos, n);
    cudaDeviceSynchronize();
    cudaFree(dev);
    delete[] host;
}
