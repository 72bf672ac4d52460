#include <cuda_runtime.h>

__global__ void xor_key(unsigned char *p, unsigned char key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] ^= key;
}

/* buf: n bytes on the host; only the upper half is worked on; 2 <= n <= 2^28, n even */
void upper_half(unsigned char *buf, int n, unsigned char key)
{
    unsigned char *d;
    const int half = n / 2;
    cudaMalloc((void **)&d, n);
    cudaMemcpy(d + half, buf + half, half, cudaMemcpyHostToDevice);
    xor_key<<<(half + 255) / 256, 256>>>(d + half, key, half);
    cudaMemcpy(buf + half, d + half, half, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
