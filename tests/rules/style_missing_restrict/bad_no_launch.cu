#include <cuda_runtime.h>

template <typename T>
__global__ void dot(const T *a, const T *b, T *out, int n) // expect: style_missing_restrict note
{
    T s = T(0);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s += a[i] * b[i];
    }
    out[threadIdx.x] = s;
}
