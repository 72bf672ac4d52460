#include <cuda_runtime.h>

__global__ void channel_scale(float* t, const float* scale, int plane)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = blockIdx.y;
    if (e >= plane) return;
    t[static_cast<size_t>(b) * plane + e] *= scale[b];
}

// 1 <= batches <= 4096, 1 <= plane <= 1048576
void scale_channels(float* t, const float* scale, int batches, int plane, cudaStream_t s)
{
    channel_scale<<<dim3((plane + 255) / 256, batches), 256, 0, s>>>(t, scale, plane);
}
