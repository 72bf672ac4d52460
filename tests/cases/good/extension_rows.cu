#include <torch/extension.h>
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

template <typename scalar_t>
__global__ void glu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t rows, int64_t half)
{
    const int64_t idx = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (idx >= rows * half) return;
    const int64_t r = idx / half, c = idx % half;
    const scalar_t a = x[r * 2 * half + c];
    const scalar_t g = x[r * 2 * half + half + c];
    y[idx] = a / (scalar_t(1) + ::exp(-g));
}

at::Tensor glu_forward(const at::Tensor& input)
{
    TORCH_CHECK(input.is_cuda() && input.dim() == 2 && input.size(1) % 2 == 0, "expected (rows, even)");
    const at::cuda::OptionalCUDAGuard guard(input.device());
    auto x = input.contiguous();
    const int64_t rows = x.size(0), half = x.size(1) / 2;
    auto y = at::empty({rows, half}, x.options());
    if (y.numel() == 0) return y;
    const int threads = 256;
    const int blocks = static_cast<int>((rows * half + threads - 1) / threads);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "glu_forward", [&] {
        glu_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, half);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("glu_forward", &glu_forward, "gated linear unit"); }
