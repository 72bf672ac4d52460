// The header lies in a folder that nobody named; only one file of the repository ends so.
#include "deep/constant.cuh"
#include "../../include/helper.cuh"

__global__ void k(float *p)
{
    p[threadIdx.x] = helper(HELPER_CONSTANT);
}
