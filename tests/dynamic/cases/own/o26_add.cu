#include <cuda_runtime.h>
#include <string.h>

static __global__ void add_arrays(const float* a, const float* b, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}

extern "C" int gpu_add(const float* a_host, const float* b_host, float* c_host, int n) {
    float *pin = NULL, *dev = NULL;
    size_t bytes = sizeof(float) * (size_t)n;
    if (cudaMallocHost((void**)&pin, 3 * bytes) != cudaSuccess) return -1;
    if (cudaMalloc((void**)&dev, 3 * bytes) != cudaSuccess) {
        cudaFreeHost(pin);
        return -1;
    }
    memcpy(pin, a_host, bytes);
    memcpy(pin + n, b_host, bytes);
    cudaMemcpyAsync(dev, pin, 2 * bytes, cudaMemcpyHostToDevice, 0);
    const float* da = dev;
    const float* db = dev + n;
    float* dc = dev + 2 * (size_t)n;
    void* args[4] = {&da, &db, &dc, &n};
    cudaError_t err = cudaLaunchKernel((void*)add_arrays, dim3(8), dim3(128), args, 0, 0);
    cudaMemcpyAsync(pin + 2 * (size_t)n, dc, bytes, cudaMemcpyDeviceToHost, 0);
    cudaStreamSynchronize(0);
    memcpy(c_host, pin + 2 * (size_t)n, bytes);
    cudaFree(dev);
    cudaFreeHost(pin);
    return err == cudaSuccess ? 0 : -1;
}
