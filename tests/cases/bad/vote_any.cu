#include <cuda_runtime.h>

// alarm[w] = 1 where any of 32 readings is above the limit
__global__ void alarms(const short* __restrict__ reading, unsigned char* __restrict__ alarm, short limit, int groups)
{
    const int g = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (g < groups) {
        const int hot = reading[(size_t)g * 32 + (threadIdx.x & 31)] > limit;
        const int any = __any(hot);
        if ((threadIdx.x & 31) == 0) alarm[g] = any != 0;
    }
}

// 1 <= groups <= 2^26
void find_alarms(const short* reading, unsigned char* alarm, short limit, int groups, cudaStream_t q)
{
    alarms<<<(groups + 7) / 8, 256, 0, q>>>(reading, alarm, limit, groups);
}
