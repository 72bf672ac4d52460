#include <cuda_runtime.h>
#include <cstdint>

#define BLOCK (1 << 11)

// 32-bit finaliser over every key, in place.
__global__ void hash_keys_kernel(uint32_t* keys, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        uint32_t h = keys[i];
        h ^= h >> 16; h *= 0x85ebca6bu;
        h ^= h >> 13; h *= 0xc2b2ae35u;
        keys[i] = h ^ (h >> 16);
    }
}

// 0 <= n <= 2^30
void hash_keys(uint32_t* keys, uint32_t n, cudaStream_t stream)
{
    hash_keys_kernel<<<80, BLOCK, 0, stream>>>(keys, n);
}
