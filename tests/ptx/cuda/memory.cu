// Memory spaces, vectors, cache hints, atomics with scopes, asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
struct Big {
    int a[5];
    double d;
    char c;
};
__constant__ float table[2][3] = {{1, 2, 3}, {4, 5, 6}};
__constant__ Big big = {{1, 2, 3, 4, 5}, 2.5, 'x'};
__device__ int counter = 7;
__device__ int *pointers[2] = {&counter, &counter + 4};
__managed__ float managed = 1.5f;
extern __shared__ float dynamic[];

__global__ void spaces(float4 *o, const float4 *__restrict__ in, Big b, int n)
{
    __shared__ float fixed[4][33];
    float local[16];
    int i = threadIdx.x;
    for (int k = 0; k < 16; k++)
        local[k] = table[k & 1][k % 3] + b.a[k % 5];
    fixed[i & 3][i & 31] = local[n & 15];
    dynamic[i] = big.d + managed + *pointers[n & 1];
    __syncthreads();
    float4 v = __ldg(&in[i]);
    v.x += fixed[(i + 1) & 3][i & 31] + dynamic[n];
    v.y += __ldcg(&in[i].x) + __ldcs(&in[i].y) + __ldlu(&in[i].z) + __ldcv(&in[i].w) + __ldca(&in[i].w);
    __stcs(&o[i], v);
    __stwt(&o[i + 1].x, v.y);
    __stcg((double2 *)&o[i + 2], make_double2(v.x, v.y));
    *(volatile int *)&counter = n;
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    if (__isGlobal(o) && __isShared(&fixed[0][0]) && !__isLocal(o) && !__isConstant(o))
        o[i + 3].x = __cvta_generic_to_shared(&fixed[i & 3][0]);
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, unsigned short *s)
{
    i[1] = atomicAdd(i, 1) + atomicSub(i, 2) + atomicMin(i, 3) + atomicMax(i, 4) + atomicAnd(i, 5) + atomicOr(i, 6);
    u[1] = atomicXor(u, 7) + atomicExch(u, 8) + atomicCAS(u, 9, 10) + atomicInc(u, 11) + atomicDec(u, 12) + atomicMax(u, 1);
    l[1] = atomicAdd(l, 1ull) + atomicCAS(l, 1ull, 2ull) + atomicMax(l, 3ull) + atomicExch(l, 4ull) + atomicAnd(l, 5ull);
    atomicAdd(f, 1.f);
    atomicAdd_system(d, 1.0);
    f[1] = atomicExch_block(f, 2.f);
    s[1] = atomicCAS(s, (unsigned short)1, (unsigned short)2);
    cuda::atomic_ref<int, cuda::thread_scope_device> r(i[2]);
    r.fetch_add(1, cuda::memory_order_acq_rel);
    r.store(r.load(cuda::memory_order_acquire) + 1, cuda::memory_order_release);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    while (r.load(cuda::memory_order_relaxed) < 0)
        __nanosleep(20);
}

__global__ void asynchronous(float *o, const float *in, int n)
{
    __shared__ __align__(16) float tile[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    __pipeline_memcpy_async(&tile[0][threadIdx.x * 4], &in[threadIdx.x * 4], 16);
    __pipeline_memcpy_async(&tile[1][threadIdx.x], &in[threadIdx.x], 4, 2);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    cuda::memcpy_async(block, tile[1], in, cuda::aligned_size_t<16>(sizeof(float) * 64), bar);
    bar.arrive_and_wait();
    cg::memcpy_async(block, tile[0], in, sizeof(float) * n);
    cg::wait(block);
    o[threadIdx.x] = tile[0][threadIdx.x] + tile[1][n];
}
