#include <cuda_runtime.h>

cudaError_t upload(cudaArray_t array, const float *host, size_t bytes)
{
    return cudaMemcpyToArray(array, 0, 0, host, bytes, cudaMemcpyHostToDevice); // expect: api_deprecated review
}

cudaError_t wide_banks()
{
    return cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte); // expect: api_deprecated review
}
