#include <cuda_runtime.h>

#define TB 64

__global__ void tile_mean(const unsigned short *depth, unsigned short *mean, int pitch)
{
    __shared__ unsigned sum[TB];
    int t = threadIdx.x;
    const unsigned short *tile = depth + ((size_t)blockIdx.y * pitch + blockIdx.x) * TB;
    sum[t] = tile[t];
    for (int s = TB / 2; s; s >>= 1) {
        __syncthreads();
        if (t < s)
            sum[t] += sum[t + s];
    }
    if (t == 0)
        mean[blockIdx.y * pitch + blockIdx.x] = sum[0] / TB;
}

/* rows x pitch tiles of 64 values each; 1 <= rows, pitch <= 4096 */
void tile_means(const unsigned short *depth, unsigned short *mean, int rows, int pitch)
{
    tile_mean<<<dim3(pitch, rows), TB>>>(depth, mean, pitch);
}
