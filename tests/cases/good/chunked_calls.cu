#include <cuda_runtime.h>

__global__ void piece(float* d, int len, float base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len) d[i] = base + sqrtf(d[i]);
}

// host: n floats, 1 <= n <= 2^34
cudaError_t stream_through(float* host, long long n)
{
    constexpr int kChunk = 1 << 20;
    float* d = nullptr;
    cudaError_t e = cudaMalloc(&d, kChunk * sizeof(float));
    for (long long off = 0; e == cudaSuccess && off < n; off += kChunk) {
        const int len = static_cast<int>(n - off < kChunk ? n - off : kChunk);
        e = cudaMemcpy(d, host + off, len * sizeof(float), cudaMemcpyHostToDevice);
        if (e != cudaSuccess) break;
        piece<<<(len + 255) / 256, 256>>>(d, len, 1.0f);
        e = cudaMemcpy(host + off, d, len * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(d);
    return e;
}
