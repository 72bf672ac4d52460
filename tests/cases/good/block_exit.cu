#include <cuda_runtime.h>

__global__ void segment_max(const float* v, const int* start, float* out, int segments)
{
    if (blockIdx.x >= segments) return;
    __shared__ float m[128];
    float best = -3.402823466e38f;
    for (int i = start[blockIdx.x] + threadIdx.x; i < start[blockIdx.x + 1]; i += 128) best = fmaxf(best, v[i]);
    m[threadIdx.x] = best;
    __syncthreads();
    for (int s = 64; s; s >>= 1) {
        if (threadIdx.x < s) m[threadIdx.x] = fmaxf(m[threadIdx.x], m[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = m[0];
}

// start holds segments + 1 rising offsets below 2^30; 1 <= segments <= 2^20
void segment_maxima(const float* v, const int* start, float* out, int segments)
{
    const int grid = (segments + 31) / 32 * 32;
    segment_max<<<grid, 128>>>(v, start, out, segments);
}
