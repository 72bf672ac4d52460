#include <cuda_runtime.h>

template <typename T>
__global__ void zero(T *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = T(0);
    }
}

template __global__ void zero<float>(float *, int);
template __global__ void zero<double>(double *, int);
template __global__ void zero<int>(int *, int);
template __global__ void zero<unsigned>(unsigned *, int);
