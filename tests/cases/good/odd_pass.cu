#include <cuda_runtime.h>

constexpr unsigned N = 512;

// Odd-even transposition sort of chunks of 512.
__global__ void odd_even_sort(unsigned* keys)
{
    __shared__ unsigned k[N];
    const unsigned t = threadIdx.x;
    unsigned* chunk = keys + (size_t)blockIdx.x * N;
    k[t] = chunk[t];
    __syncthreads();
    for (unsigned pass = 0; pass < N; ++pass) {
        if ((t & 1u) == (pass & 1u) && t + 1 < N) {
            const unsigned lo = min(k[t], k[t + 1]), hi = max(k[t], k[t + 1]);
            k[t] = lo;
            k[t + 1] = hi;
        }
        __syncthreads();
    }
    chunk[t] = k[t];
}

// 1 <= chunks <= 2^20
void sort_chunks(unsigned* keys, int chunks, cudaStream_t stream)
{
    odd_even_sort<<<chunks, N, 0, stream>>>(keys);
}
