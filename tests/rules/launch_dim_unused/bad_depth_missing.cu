#include <cuda_runtime.h>

// 1 <= nx, ny, nz <= 512
__global__ void add_field(float *f, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x < nx && y < ny && z < nz) {
        f[(z * ny + y) * nx + x] += 1.0f;
    }
}

void run(float *f, int nx, int ny, int nz)
{
    const dim3 block(32, 4);
    const dim3 grid((nx + 31) / 32, (ny + 3) / 4);
    add_field<<<grid, block>>>(f, nx, ny, nz); // expect: launch_dim_unused reject
}
