#include <cuda_runtime.h>

struct Extent3 { int nx, ny, nz; };

__global__ void voxelDecay(float* __restrict__ v, float rate, Extent3 e)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = blockIdx.y * blockDim.y + threadIdx.y;
    const int iz = blockIdx.z * blockDim.z + threadIdx.z;
    if (ix >= e.nx || iy >= e.ny || iz >= e.nz) return;

    const size_t at = ((size_t)iz * e.ny + iy) * e.nx + ix;
    v[at] *= rate;
}

// Extents between 1 and 1024 in each direction.
void voxel_decay(float* v, float rate, Extent3 e, cudaStream_t stream)
{
    const dim3 b(8, 8, 8);
    const dim3 g((e.nx + b.x - 1) / b.x, (e.ny + b.y - 1) / b.y, (e.nz + b.z - 1) / b.z);
    voxelDecay<<<g, b, 0, stream>>>(v, rate, e);
}
