#include <cuda_runtime.h>

template <int N>
__device__ float sum_of(const float *v)
{
    if constexpr (N == 0) {
        return 0.0f;
    } else {
        return v[N - 1] + sum_of<N - 1>(v);
    }
}

__global__ void sums(const float *v, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sum_of<8>(v + 8 * i); // expect: template_bloat review
    }
}
