#include <cuda_runtime.h>

constexpr int kBlock = 128;

// out[row] = sum of squares of the row
__global__ void __launch_bounds__(kBlock) rowEnergy(const float* __restrict__ x, float* __restrict__ out, int cols)
{
    __shared__ float part[kBlock];
    const float* row = x + (size_t)blockIdx.x * cols;

    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += kBlock)
        s = fmaf(row[c], row[c], s);
    part[threadIdx.x] = s;
    __syncthreads();

    for (int half = kBlock / 2; half >= 1; half >>= 1) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) __stcs(out + blockIdx.x, part[0] / cols);
}

// rows >= 1, 1 <= cols <= 2^30
void row_energy(const float* x, float* out, int rows, int cols, cudaStream_t st)
{
    rowEnergy<<<rows, kBlock, 0, st>>>(x, out, cols);
}
