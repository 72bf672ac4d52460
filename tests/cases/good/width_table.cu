#include <cuda_runtime.h>

template <int W>
__global__ void rotate_rows(const float* __restrict__ in, float* __restrict__ out, int rows)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float reg[W];
#pragma unroll
    for (int k = 0; k < W; ++k) reg[k] = in[(size_t)r * W + k];
#pragma unroll
    for (int k = 0; k < W; ++k) out[(size_t)r * W + k] = reg[(k + 1) % W];
}

#define CASE(W) case W: rotate_rows<W><<<(rows + 127) / 128, 128, 0, s>>>(in, out, rows); break;

// 1 <= width <= 8, 1 <= rows <= 2^24
int rotate_columns(const float* in, float* out, int rows, int width, cudaStream_t s)
{
    switch (width) {
        CASE(1) CASE(2) CASE(3) CASE(4)
        CASE(5) CASE(6) CASE(7) CASE(8)
    default: return -1;
    }
    return 0;
}
#undef CASE
