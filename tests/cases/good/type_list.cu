#include <cuda_runtime.h>
#include <cstdint>

#define FOR_ALL_TYPES(X) \
    X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t) X(f32, float) X(f64, double)

template <typename T>
__global__ void ramp_kernel(T* out, T from, T step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = static_cast<T>(from + step * static_cast<T>(i & 63));
}

// 1 <= n <= 2^30
#define DEFINE_RAMP(name, type)                                                              \
    void ramp_##name(type* out, type from, type step, int n, cudaStream_t s)                 \
    {                                                                                        \
        ramp_kernel<type><<<(n + 255) / 256, 256, 0, s>>>(out, from, step, n);               \
    }
FOR_ALL_TYPES(DEFINE_RAMP)
#undef DEFINE_RAMP
