#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1) {
        v += __shfl_down_synch(0xffffffffu, v, d); // expect: api_unknown reject
    }
    return v;
}

__global__ void total(const __half *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? __halff2float(in[i]) : 0.0f; // expect: api_unknown reject
    v = warp_sum(v);
    __syncthread(); // expect: api_unknown reject
    if (threadIdx.x % 32 == 0) {
        atomicadd(out, v); // expect: api_unknown reject
    }
}
