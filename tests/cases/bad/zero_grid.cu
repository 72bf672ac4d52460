#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void halve(__half *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = __hmul(v[i], __float2half(0.5f));
}

/* in: n halves on the host; 1 <= n <= 2^28 */
void halve_host(__half *in, int n, cudaStream_t st)
{
    __half *dev;
    cudaMalloc((void **)&dev, sizeof(__half) * n);
    cudaMemcpyAsync(dev, in, sizeof(double *) * n, cudaMemcpyHostToDevice, st);
    halve<<<(n + 255) / 256, 256, 0, st>>>(dev, n);
    cudaMemcpyAsync(in, dev, sizeof(__half) * n, cudaMemcpyDeviceToHost, st);
    cudaStreamSynchronize(st);
    cudaFree(dev);
}
