#pragma once

#define THREADS 256
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

__device__ inline int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
