#include <cuda_fp16.h>
#include "include/helper.cuh"

__global__ void k(const __half *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = helper(__half2float(x[i]));
}
