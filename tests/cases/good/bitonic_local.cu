#include <cuda_runtime.h>

enum : unsigned { SORT_N = 1024 };

__global__ void bitonic(unsigned* keys)
{
    __shared__ unsigned s[SORT_N];
    unsigned* mine = keys + (size_t)blockIdx.x * SORT_N;
    for (unsigned i = threadIdx.x; i < SORT_N; i += blockDim.x) s[i] = mine[i];

    for (unsigned size = 2; size <= SORT_N; size <<= 1) {
        for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            const unsigned t = threadIdx.x;
            const unsigned a = 2 * t - (t & (stride - 1)), b = a + stride;
            const bool up = (a & size) == 0;
            const unsigned x = s[a], y = s[b];
            if ((x > y) == up) {
                s[a] = y;
                s[b] = x;
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SORT_N; i += blockDim.x) mine[i] = s[i];
}

// 1 <= chunks <= 2^20, each of 1024 keys
void bitonic_chunks(unsigned* keys, int chunks)
{
    bitonic<<<chunks, SORT_N / 2>>>(keys);
}
