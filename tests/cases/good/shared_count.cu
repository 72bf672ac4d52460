#include <cuda_runtime.h>

// Compacts the positive values of each chunk of 256 to the chunk's front.
__global__ void compact_chunk(const int* in, int* out, int* kept)
{
    __shared__ int count;
    __shared__ int list[256];
    const int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    const int v = in[blockIdx.x * 256 + t];
    if (v > 0) list[atomicAdd(&count, 1)] = v;
    __syncthreads();
    const int total = count;
    for (int pass = 0; pass < total; ++pass) {
        const int j = 2 * t + (pass & 1);
        if (j + 1 < total && list[j] > list[j + 1]) {
            const int k = list[j];
            list[j] = list[j + 1];
            list[j + 1] = k;
        }
        __syncthreads();
    }
    if (t < total) out[blockIdx.x * 256 + t] = list[t];
    if (t == 0) kept[blockIdx.x] = total;
}

// chunks of 256 ints, 1 <= chunks <= 2^20
void compact(const int* in, int* out, int* kept, int chunks, cudaStream_t s)
{
    compact_chunk<<<chunks, 256, 0, s>>>(in, out, kept);
}
