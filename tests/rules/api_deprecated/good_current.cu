#include <cuda_runtime.h>

cudaError_t upload(cudaArray_t array, const float *host, size_t width, size_t height)
{
    return cudaMemcpy2DToArray(array, 0, 0, host, width * sizeof(float), width * sizeof(float), height,
                               cudaMemcpyHostToDevice);
}

// Has the name of a deprecated function, but is this file's own.
struct uploader {
    cudaError_t cudaMemcpyToArray(cudaArray_t array, const float *host);
};

cudaError_t again(uploader &u, cudaArray_t array, const float *host)
{
    return u.cudaMemcpyToArray(array, host);
}
