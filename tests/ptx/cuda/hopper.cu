// What only newer devices run: clusters, bulk copies, more barriers. compile: -arch=sm_90a -lineinfo
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2, 1, 1) clusters(float *o, const float *in)
{
    __shared__ __align__(128) float tile[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in, sizeof tile, bar);
    }
    auto token = bar.arrive();
    bar.wait(std::move(token));
    float *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    cluster.sync();
    o[threadIdx.x] = other[threadIdx.x] + cluster.num_blocks();
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, o, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    asm volatile("griddepcontrol.wait;");
}
