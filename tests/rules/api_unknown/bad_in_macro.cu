#include <cuda.h>
#include <cuda_runtime.h>

#define WAIT() cudaStreamSyncronize(0)

int copy_back(float *dst, CUdeviceptr src, size_t bytes)
{
    CUresult rc = cuMemcpyDToH(dst, src, bytes); // expect: api_unknown reject
    WAIT(); // expect: api_unknown reject
    return rc == CUDA_SUCCESS ? 0 : 1;
}
