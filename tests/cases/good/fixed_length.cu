#include <cuda_runtime.h>

static const int kPoints = 1000;

__global__ void window(float2* z)
{
    const int i = blockIdx.x * 250 + threadIdx.x;
    const float w = 0.5f - 0.5f * cospif(2.0f * i / kPoints);
    z[i].x *= w;
    z[i].y *= w;
}

// z: 1000 complex numbers on the host
void apply_window(float2* z)
{
    float2* d;
    cudaMalloc(&d, sizeof(float2) * kPoints);
    cudaMemcpy(d, z, sizeof(float2) * kPoints, cudaMemcpyHostToDevice);
    window<<<4, 250>>>(d);
    cudaMemcpy(z, d, sizeof(float2) * kPoints, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
