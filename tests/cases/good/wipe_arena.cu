#include <cuda_runtime.h>

struct cuda_arena {
    unsigned char* base;
    size_t bytes;
};

__global__ void stamp(unsigned char* p, size_t bytes, unsigned char mark)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
        if (p[i] == 0) p[i] = mark;
}

// Clears the arena, then marks it; bytes up to 2^36.
cudaError_t wipe(cuda_arena a, unsigned char mark)
{
    const cudaError_t e = cudaMemset(a.base, 0, a.bytes);
    if (e != cudaSuccess) return e;
    stamp<<<128, 256>>>(a.base, a.bytes, mark);
    return cudaGetLastError();
}
