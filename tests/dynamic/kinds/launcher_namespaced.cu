#include <cuda_runtime.h>

namespace ops {
namespace detail {
__global__ void relu_kernel(const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
} // namespace detail

void relu(const float *x, float *y, int n, cudaStream_t stream)
{
    detail::relu_kernel<<<4, 128, 0, stream>>>(x, y, n);
}
} // namespace ops
