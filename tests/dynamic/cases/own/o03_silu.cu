#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ inline float silu1(float x) { return x / (1.0f + __expf(-x)); }

__global__ void silu_half2_kernel(const __half* __restrict__ x, __half* __restrict__ y, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i + 1 < n) {
        const float2 v = __half22float2(*reinterpret_cast<const __half2*>(x + i));
        *reinterpret_cast<__half2*>(y + i) = __floats2half2_rn(silu1(v.x), silu1(v.y));
    } else if (i < n) {
        y[i] = __float2half(silu1(__half2float(x[i])));
    }
}

extern "C" void silu_fp16(const __half* x, __half* y, int n) {
    int pairs = (n + 1) / 2;
    silu_half2_kernel<<<(pairs + 127) / 128, 128>>>(x, y, n);
}
