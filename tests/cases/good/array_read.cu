#include <cuda_runtime.h>

__global__ void paint(cudaSurfaceObject_t surf, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) surf2Dwrite((float)(x ^ y), surf, x * (int)sizeof(float), y);
}

// out: w * h floats on the host; 1 <= w, h <= 4096
cudaError_t xor_pattern(float* out, int w, int h)
{
    const cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaArray_t a = nullptr;
    cudaError_t e = cudaMallocArray(&a, &fmt, w, h, cudaArraySurfaceLoadStore);
    if (e != cudaSuccess) return e;
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaSurfaceObject_t surf = 0;
    e = cudaCreateSurfaceObject(&surf, &res);
    if (e != cudaSuccess) return e;
    paint<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(surf, w, h);
    e = cudaMemcpy2DFromArray(out, w * sizeof(float), a, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToHost);
    cudaDestroySurfaceObject(surf);
    cudaFreeArray(a);
    return e;
}
