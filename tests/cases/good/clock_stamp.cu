#include <cassert>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>

struct Stamp {
    long long begin, end;
    int block;
};

__global__ void timed_copy(const int* in, int* out, Stamp* stamps)
{
    Stamp s;
    s.begin = clock64();
    assert(blockDim.x == 32);
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] + (clock() < 0);
    s.end = clock64();
    s.block = blockIdx.x;
    if (threadIdx.x == 0) memcpy(stamps + blockIdx.x, &s, sizeof(Stamp));
}

// in and out: 32 * blocks ints, 1 <= blocks <= 2^20
void timed(const int* in, int* out, Stamp* stamps, int blocks)
{
    timed_copy<<<blocks, 32>>>(in, out, stamps);
}
