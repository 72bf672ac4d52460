#include <cuda_runtime.h>

#define CUDA_CHECK(call)                         \
    do {                                         \
        cudaError_t status_ = (call);            \
        if (status_ != cudaSuccess) return status_; \
    } while (0)

constexpr int BLOCK_SIZE = 256;

__global__ void depth_to_disparity(const float* depth, float* disp, float focal_times_base, int count)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count)
        disp[index] = focal_times_base / depth[index];
}

// Host buffers; 1 <= count <= 2^28, depths are positive.
cudaError_t convert(const float* host_depth, float* host_disp, float fb, int count)
{
    float *d_depth, *d_disp;
    CUDA_CHECK(cudaMalloc((void**)&d_depth, count * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void**)&d_disp, count * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_depth, host_depth, count * sizeof(float), cudaMemcpyHostToDevice));
    const int gridSize = (count + BLOCK_SIZE - 1) / BLOCK_SIZE;
    depth_to_disparity<<<gridSize, BLOCK_SIZE>>>(d_depth, d_disp, fb, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(host_disp, d_disp, count * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_depth));
    CUDA_CHECK(cudaFree(d_disp));
    return cudaSuccess;
}
