#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void normalise(float* v, float* total, int n)
{
    cg::grid_group grid = cg::this_grid();
    float s = 0.0f;
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) s += v[i];
    atomicAdd(total, s);
    grid.sync();
    const float inv = 1.0f / *total;
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) v[i] *= inv;
}

// *total is 0 before; 1 <= n <= 2^30
cudaError_t normalise_sum(float* v, float* total, int n, cudaStream_t stream)
{
    int device = 0, sms = 0, per_sm = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, normalise, 128, 0);
    if (e != cudaSuccess) return e;
    void* args[] = {&v, &total, &n};
    return cudaLaunchCooperativeKernel((void*)normalise, dim3(sms * per_sm), dim3(128), args, 0, stream);
}
