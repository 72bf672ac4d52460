#include <cuda_runtime.h>
#include <cstdio>

struct Session {
    void cudaDeviceReset() { std::puts("session: no cudaDeviceReset() here"); }
};

__global__ void stairs(int* v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = i / 16;
}

// v: device buffer, 1 <= n <= 2^28
int stairs_once(int* v, int n)
{
    stairs<<<(n + 255) / 256, 256>>>(v, n);
    const cudaError_t e = cudaDeviceSynchronize();
    Session session;
    session.cudaDeviceReset();  // not the runtime's
    return e == cudaSuccess ? 0 : 1;
}
