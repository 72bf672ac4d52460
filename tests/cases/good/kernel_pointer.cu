#include <cuda_runtime.h>

template <bool kSquare>
__global__ void accumulate(const float* x, float* sum, int n)
{
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += kSquare ? x[i] * x[i] : x[i];
    atomicAdd(sum, s);
}

// 0 <= n <= 2^30; *sum is 0 before
void accumulate_any(const float* x, float* sum, int n, bool square)
{
    auto kernel = square ? &accumulate<true> : &accumulate<false>;
    kernel<<<96, 256>>>(x, sum, n);
}
