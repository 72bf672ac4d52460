#include <cooperative_groups.h>

__global__ void ranks(unsigned *out)
{
    auto cluster = cooperative_groups::this_cluster(); // expect: compile_environment
    out[blockIdx.x] = cluster.block_rank();
}
