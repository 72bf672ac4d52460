#include <cuda_runtime.h>
#include <cstdint>

// One warp computes one row's dot product with v; k is a multiple of 4.
__global__ void matvec_i8(const int8_t* __restrict__ m, const int8_t* __restrict__ v, int* __restrict__ out, int rows, int k)
{
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const int* mr = reinterpret_cast<const int*>(m + (size_t)row * k);
    const int* vr = reinterpret_cast<const int*>(v);
    int acc = 0;
    for (int j = threadIdx.x & 31; j < k / 4; j += 32) acc = __dp4a(mr[j], vr[j], acc);
    acc = __reduce_add_sync(0xffffffffu, acc);
    if ((threadIdx.x & 31) == 0) out[row] = acc;
}

// 1 <= rows <= 2^24; k a multiple of 4, 4 <= k <= 2^16; m and v are 4-byte aligned
void matvec(const int8_t* m, const int8_t* v, int* out, int rows, int k, cudaStream_t stream)
{
    matvec_i8<<<(rows + 3) / 4, 128, 0, stream>>>(m, v, out, rows, k);
}
