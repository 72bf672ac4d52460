#include <cuda_runtime.h>

__global__ void bump(int* v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ++v[i];
}

// 0 <= n <= 2^30
cudaError_t bump_and_wait(int* v, int n, cudaStream_t stream)
{
    bump<<<32, 256, 0, stream>>>(v, n);
    cudaEvent_t done;
    cudaError_t e = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    if (e == cudaSuccess) e = cudaEventRecord(done, stream);
    if (e == cudaSuccess && cudaStreamQuery(stream) == cudaErrorNotReady) e = cudaEventSynchronize(done);
    cudaEventDestroy(done);
    return e;
}
