#ifndef BLOCK_SHAPE_H
#define BLOCK_SHAPE_H

#include "no_such_header.h"
#include "block_shape.h"

#define WIDE 2048
#ifdef SOME_BUILDS_SAY_SO
#define PERHAPS 128
constexpr int MAYBE = 128;
#else
#define PERHAPS 4096
constexpr int MAYBE = 4096;
#endif

namespace shape {
constexpr int kRows = 16, kCols = 96;
}

enum { NARROW = 64, BROAD = NARROW * 32 };

static inline int blocks_for(int n, int block)
{
    return (n + block - 1) / block;
}

__device__ __forceinline__ int flat_id()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

#endif
