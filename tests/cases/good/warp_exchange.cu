#include <cuda_runtime.h>

__global__ void warp_reverse(const short4* in, short4* out)
{
    __shared__ short4 lane_value[32];
    const int lane = threadIdx.x;
    lane_value[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    out[blockIdx.x * 32 + lane] = lane_value[31 - lane];
}

// groups of 32 packets, 1 <= groups <= 2^24
void reverse_groups(const short4* in, short4* out, int groups)
{
    warp_reverse<<<groups, 32>>>(in, out);
}
