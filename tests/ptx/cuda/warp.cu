// Collectives of a warp and of a block, divergence, loops, switches, calls, recursion, virtual functions, printf, malloc.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cassert>
#include <cstdio>

namespace cg = cooperative_groups;
struct Shape {
    virtual __device__ float area(float x) { return x; }
    virtual __device__ ~Shape() {}
    float w;
};
struct Square : Shape {
    __device__ float area(float x) override { return x * x * w; }
};
typedef float (*function)(float);
__device__ __noinline__ float one(float x) { return x + 1; }
__device__ __noinline__ float two(float x) { return sinf(x) * 2; }
__device__ function functions[2] = {one, two};
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__global__ void __launch_bounds__(256, 2) collectives(int *o, int n)
{
    int i = threadIdx.x, v = o[i];
    unsigned m = __activemask();
    v += __shfl_sync(~0u, v, n) + __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 2, 16) + __shfl_xor_sync(~0u, v, 4);
    v += __all_sync(m, v) + __any_sync(m, n) + __ballot_sync(m, v > n) + __match_any_sync(m, v);
    int all;
    v += __match_all_sync(m, v, &all) + all;
    v += __reduce_add_sync(m, v) + __reduce_max_sync(m, v) + __reduce_and_sync(m, (unsigned)v) + __reduce_min_sync(m, (unsigned)v);
    __syncwarp();
    v += __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(n);
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    v += cg::reduce(tile, v, cg::plus<int>()) + tile.shfl(v, 3) + cg::coalesced_threads().size();
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    asm volatile("bar.arrive 2, 128;" ::: "memory");
    o[i] = v + clock() + (int)clock64() + __fns(m, 0, 2);
    if (v == 12345)
        __trap();
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(o[i + 1]));
}

__global__ void calls(float *o, int n)
{
    int i = threadIdx.x;
    float v = functions[n & 1](i);
    Shape *s = n > 3 ? new Square : new Shape;
    s->w = 2;
    v += s->area(v) + fib(n & 7);
    delete s;
    switch (n) {
    case 0: v += 1; break;
    case 1: v *= 2; break;
    case 2: v -= 3; break;
    case 3: v = sqrtf(v); break;
    case 4: v = __expf(v); break;
    case 5: v = 1 / v; break;
    case 6: v = v * v; break;
    case 9: return;
    }
    for (int k = 0; k < n; k++) {
        if (k == 7)
            continue;
        v += k;
    }
    if (i == 0)
        printf("%d %f %s\n", n, v, "text");
    auto f = [=](float x) { return x + v; };
    o[i] = f(v);
    assert(v < 100);
}
