#include <cuda_runtime.h>

__global__ void fold_plane(const float* in, float* out, int w, int h, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (x >= w || y >= h) return;
    float acc = 0.0f;
    for (int d = 0; d < depth; d++)
        acc = fmaxf(acc, in[(((size_t)plane * depth + d) * h + y) * w + x]);
    out[((size_t)plane * h + y) * w + x] = acc;
}

/* 2 <= planes <= 1000; 1 <= w, h <= 4096; depth >= 1 */
void fold_planes(const float* in, float* out, int w, int h, int depth, int planes)
{
    dim3 block(32, 8);
    dim3 grid((w + 31) / 32, (h + 7) / 8, planes);
    fold_plane<<<grid, block>>>(in, out, w, h, depth);
}
