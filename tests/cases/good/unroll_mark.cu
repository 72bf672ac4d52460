#include <cuda_runtime.h>

#define HAVE_FAST 1

#if HAVE_FAST
#define EXPF(x) __expf(x)
#else
#define EXPF(x) expf(x)
#endif
#undef HAVE_FAST

__global__ void gaussian(const float4* __restrict__ x, float4* __restrict__ y, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        const float4 v = x[i];
        y[i] = make_float4(EXPF(-v.x * v.x), EXPF(-v.y * v.y), EXPF(-v.z * v.z), EXPF(-v.w * v.w));
    }
}

// 1 <= n4 <= 2^28
void gaussians(const float4* x, float4* y, int n4, cudaStream_t s)
{
    gaussian<<<(n4 + 127) / 128, 128, 0, s>>>(x, y, n4);
}
