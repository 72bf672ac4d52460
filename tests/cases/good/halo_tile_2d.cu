#include <cuda_runtime.h>

constexpr int kEdge = 16;
constexpr int kHalo = 1;
constexpr int kSide = kEdge + 2 * kHalo;

__global__ void sharpen(const float* __restrict__ in, float* __restrict__ out, int w, int h)
{
    __shared__ float tile[kSide][kSide];
    const int tid = threadIdx.y * kEdge + threadIdx.x;
    const int x0 = blockIdx.x * kEdge - kHalo, y0 = blockIdx.y * kEdge - kHalo;

    for (int e = tid; e < kSide * kSide; e += kEdge * kEdge) {
        const int ly = e / kSide, lx = e % kSide;
        const int gx = min(max(x0 + lx, 0), w - 1), gy = min(max(y0 + ly, 0), h - 1);
        tile[ly][lx] = in[gy * w + gx];
    }
    __syncthreads();

    const int x = blockIdx.x * kEdge + threadIdx.x, y = blockIdx.y * kEdge + threadIdx.y;
    if (x >= w || y >= h) return;
    const int lx = threadIdx.x + kHalo, ly = threadIdx.y + kHalo;
    out[y * w + x] = 5.0f * tile[ly][lx] - tile[ly - 1][lx] - tile[ly + 1][lx] - tile[ly][lx - 1] - tile[ly][lx + 1];
}

// 1 <= w, h <= 16384
void sharpen_image(const float* in, float* out, int w, int h, cudaStream_t s)
{
    const dim3 block(kEdge, kEdge);
    const dim3 grid((w + kEdge - 1) / kEdge, (h + kEdge - 1) / kEdge);
    sharpen<<<grid, block, 0, s>>>(in, out, w, h);
}
