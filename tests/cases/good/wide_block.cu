#include <cuda_runtime.h>

template <typename T>
__global__ void fill3d(T* p, T v, int3 dim)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= dim.x || j >= dim.y || k >= dim.z) return;
    p[((size_t)k * dim.y + j) * dim.x + i] = v;
}

// extents from 1 to 512
template <typename T>
void fill(T* p, T v, int3 dim, cudaStream_t stream)
{
    dim3 block;
    block.x = 16;
    block.y = 8;
    block.z = 8;
    dim3 grid((dim.x + 15) / 16, (dim.y + block.y - 1) / block.y, (dim.z + 7) / 8);
    fill3d<T><<<grid, block, 0, stream>>>(p, v, dim);
}

void fill_f32(float* p, float v, int3 dim, cudaStream_t s) { fill<float>(p, v, dim, s); }
