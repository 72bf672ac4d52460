#include <cuda_runtime.h>

__global__ void drain(const float* in, float* out, int tasks, int len, int* next)
{
    __shared__ int task;
    for (;;) {
        if (threadIdx.x == 0) task = atomicAdd(next, 1);
        __syncthreads();
        const int mine = task;
        __syncthreads();
        if (mine >= tasks) return;
        const size_t base = (size_t)mine * len;
        for (int k = threadIdx.x; k < len; k += blockDim.x) out[base + k] = in[base + len - 1 - k];
    }
}

// *next is 0 before; 1 <= tasks <= 2^30, 1 <= len <= 2^20
void reverse_tasks(const float* in, float* out, int tasks, int len, int* next)
{
    drain<<<216, 128>>>(in, out, tasks, len, next);
}
