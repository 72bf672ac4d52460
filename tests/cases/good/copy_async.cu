#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK_CUDA(expr)                                                              \
    do {                                                                              \
        cudaError_t e_ = (expr);                                                      \
        if (e_ != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(e_)); \
            return (int)e_;                                                           \
        }                                                                             \
    } while (0)

__global__ void threshold(unsigned char *px, unsigned char t, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = px[i] >= t ? 255 : 0;
}

/* host: page-locked image of n bytes, 1 <= n <= 2^28; dev: device buffer of the same size */
int binarize(unsigned char *host, unsigned char *dev, unsigned char t, int n, cudaStream_t st)
{
    CHECK_CUDA(cudaMemcpyAsync(dev, host, n, cudaMemcpyHostToDevice, st));
    threshold<<<(n + 255) / 256, 256, 0, st>>>(dev, t, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpyAsync(host, dev, n, cudaMemcpyDeviceToHost, st));
    return 0;
}
