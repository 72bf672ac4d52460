#include <cuda_runtime.h>

// Dynamic parallelism: these have device forms (nvcc -rdc=true).
__global__ void child(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += 1;
    }
}

__global__ void parent(int *x, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        cudaStream_t stream;
        if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
            child<<<(n + 127) / 128, 128, 0, stream>>>(x, n);
            if (cudaGetLastError() != cudaSuccess) {
                x[0] = -1;
            }
            cudaStreamDestroy(stream);
        }
    }
}

void run(int *x, int n)
{
    parent<<<1, 32>>>(x, n);
    cudaDeviceSynchronize();
}
