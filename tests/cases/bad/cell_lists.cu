#include <cuda_runtime.h>

// counts[cell] -> 1 where a cell of the (nx, ny, nz) box holds anything
__global__ void occupied(const int* counts, unsigned char* flag, int nx, int ny, int nz)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < nx && j < ny && k < nz) {
        const int cell = (k * ny + j) * nx + i;
        flag[cell] = counts[cell] != 0;
    }
}

// 1 <= nx, ny, nz <= 1024
void mark_occupied(const int* counts, unsigned char* flag, int nx, int ny, int nz)
{
    const dim3 threads(8, 1, 128);
    const dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y,
                      (nz + threads.z - 1) / threads.z);
    occupied<<<blocks, threads>>>(counts, flag, nx, ny, nz);
}
