#include <cuda_runtime.h>

constexpr int kN = 256;

// Inclusive scan of chunks of 256.
__global__ void scan_chunk(const float* in, float* out)
{
    __shared__ float buf[2][kN];
    const int t = threadIdx.x;
    int from = 0;
    buf[from][t] = in[(size_t)blockIdx.x * kN + t];
    __syncthreads();
    for (int d = 1; d < kN; d *= 2) {
        const int to = 1 - from;
        buf[to][t] = t >= d ? buf[from][t] + buf[from][t - d] : buf[from][t];
        __syncthreads();
        from = to;
    }
    out[(size_t)blockIdx.x * kN + t] = buf[from][t];
}

// 1 <= chunks
void scan_chunks(const float* in, float* out, int chunks, cudaStream_t stream)
{
    scan_chunk<<<chunks, kN, 0, stream>>>(in, out);
}
