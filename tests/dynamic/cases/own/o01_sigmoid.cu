#include <cuda_runtime.h>

namespace ops {
namespace detail {

template <typename T>
struct SigmoidOp {
    __device__ __forceinline__ T operator()(T x) const { return T(1) / (T(1) + exp(-x)); }
};

template <typename T, typename Op>
__global__ void unary_kernel(T* out, const T* in, size_t count, Op op) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        out[i] = op(in[i]);
}

}  // namespace detail

void sigmoid(const float* in, float* out, size_t count, cudaStream_t stream) {
    if (count == 0) return;
    size_t blocks = (count + 255) / 256;
    if (blocks > 1024) blocks = 1024;
    detail::unary_kernel<float, detail::SigmoidOp<float>>
        <<<(unsigned)blocks, 256, 0, stream>>>(out, in, count, detail::SigmoidOp<float>());
}

}  // namespace ops
