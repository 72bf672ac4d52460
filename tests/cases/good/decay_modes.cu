#include <cuda_runtime.h>

constexpr int kBlk = 128;
inline int round_up(int v, int m) { return (v + m - 1) / m * m; }

__global__ void decay(double* state, double rate, int limit)
{
    const int s = blockIdx.x * kBlk + threadIdx.x;
    if (s < limit) state[s] *= exp(-rate);
}

// state: device buffer of exactly count doubles; count: any value from 1 to 2^27
void decay_all(double* state, double rate, int count, cudaStream_t stream)
{
    const int padded = round_up(count, kBlk);
    decay<<<padded / kBlk, kBlk, 0, stream>>>(state, rate, count);
}
