#include <cuda_runtime.h>

struct Box { int nx, ny, nz; };

__host__ __device__ inline size_t at(const Box& b, int x, int y, int z)
{
    return ((size_t)z * b.ny + y) * b.nx + x;
}

__global__ void laplace(const float* __restrict__ u, float* __restrict__ lu, Box b)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z + 1;
    if (x < b.nx - 1 && y < b.ny - 1) {
        lu[at(b, x, y, z)] = u[at(b, x - 1, y, z)] + u[at(b, x + 1, y, z)] + u[at(b, x, y - 1, z)] +
                             u[at(b, x, y + 1, z)] + u[at(b, x, y, z - 1)] + u[at(b, x, y, z + 1)] -
                             6.0f * u[at(b, x, y, z)];
    }
}

// 3 <= nx, ny, nz <= 1024; only the interior of lu is written
void laplacian(const float* u, float* lu, Box b, cudaStream_t stream)
{
    const dim3 block(32, 4);
    const dim3 grid((b.nx - 2 + 31) / 32, (b.ny - 2 + 3) / 4, b.nz - 2);
    laplace<<<grid, block, 0, stream>>>(u, lu, b);
}
