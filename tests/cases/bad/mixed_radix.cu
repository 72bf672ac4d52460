#include <cuda_runtime.h>

template <int kRows, int kCols>
__global__ void block_scale(const float4* __restrict__ in, float4* __restrict__ out, float f, int tiles)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tiles) return;
    for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < kCols; ++c) {
            const size_t at = ((size_t)t * kRows + r) * kCols + c;
            const float4 v = in[at];
            out[at] = make_float4(f * v.x, f * v.y, f * v.z, f * v.w);
        }
    }
}

#define GO(R, C)                                                                  \
    case C:                                                                       \
        block_scale<R, C><<<(tiles + 127) / 128, 128, 0, s>>>(in, out, f, tiles); \
        return 0
#define ROW(R) \
    case R:    \
        switch (cols) { GO(R, 1); GO(R, 2); GO(R, 3); GO(R, 4); GO(R, 5); GO(R, 6); GO(R, 7); default: return -1; }

// 1 <= rows, cols <= 7; 1 <= tiles <= 2^20
int scale_tiles(const float4* in, float4* out, float f, int tiles, int rows, int cols, cudaStream_t s)
{
    switch (rows) {
        ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)
    default: return -1;
    }
}
