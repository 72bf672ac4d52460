#include <cuda_runtime.h>

__device__ __forceinline__ double warpSum(double v)
{
    #pragma unroll
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void __launch_bounds__(256, 4) sumKernel(const double *x, double *partial, unsigned n)
{
    __shared__ double ws[8];
    double v = 0.0;
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < n; i += 256u * gridDim.x)
        v += x[i];
    v = warpSum(v);
    if ((threadIdx.x & 31) == 0)
        ws[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < 8 ? ws[threadIdx.x] : 0.0;
        v = warpSum(v);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = v;
    }
}

// n <= 2^30; partial holds 80 doubles
void partial_sums(const double *x, double *partial, unsigned n)
{
    sumKernel<<<80, 256>>>(x, partial, n);
}
