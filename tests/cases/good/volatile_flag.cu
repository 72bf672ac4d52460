#include <cuda_runtime.h>

__device__ int lock_word;

__global__ void append_sum(const int* v, volatile long long* total)
{
    int s = v[blockIdx.x * 32 + threadIdx.x];
    s = __reduce_add_sync(0xffffffffu, s);
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1) != 0) {}
        __threadfence();
        *total = *total + s;
        __threadfence();
        atomicExch(&lock_word, 0);
    }
}

// v: 32 * blocks ints; *total is 0 before; 1 <= blocks <= 2^16
void locked_sum(const int* v, long long* total, int blocks)
{
    append_sum<<<blocks, 32>>>(v, total);
}
