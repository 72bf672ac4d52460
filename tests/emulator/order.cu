// What orders accesses, and what doesn't, and what is no use of unwritten memory: fences and flags, locks, barriers of part of a block or warp, asynchronous
// copies, atomics beside plain accesses. Bad with -DBAD, as in zoo.cu.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#ifdef BAD
#define B(x, y) x
#else
#define B(x, y) y
#endif
namespace cg = cooperative_groups;

__device__ unsigned counter;
__device__ volatile int flag;
__device__ int lock;

// 1 the last block sums up what all wrote
__global__ void last_block(float *part, float *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1.f;
        B(, __threadfence());
        last = atomicInc(&counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            s += part[i]; // BUG data_race
        out[0] = s;
    }
}
// 2 a flag that another block waits for
__global__ void spin_flag(int *data, int *out)
{
    if (blockIdx.x == 1) {
        *data = 42;
        B(, __threadfence());
        flag = 1;
    } else {
        while (flag == 0) {
        }
        B(, __threadfence());
        *out = *data; // BUG data_race
    }
}
// 3 release and acquire by cuda::atomic_ref
__global__ void release_acquire(int *data, int *ready, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*ready);
    if (blockIdx.x == 1) {
        *data = 42;
        r.store(1, B(cuda::memory_order_relaxed, cuda::memory_order_release));
    } else {
        while (r.load(B(cuda::memory_order_relaxed, cuda::memory_order_acquire)) == 0) {
        }
        *out = *data; // BUG data_race
    }
}
// 4 all blocks meet in the middle
__global__ void grid_sync(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    B(__syncthreads(), cg::this_grid().sync());
    b[i] = a[n - 1 - i]; // BUG data_race
}
// 5 a lock: taken and given back with fences, or not taken at all
__global__ void locked(int *sum)
{
    if (threadIdx.x == 0) {
#ifndef BAD
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
#endif
        *sum += blockIdx.x; // BUG data_race
#ifndef BAD
        __threadfence();
        atomicExch(&lock, 0);
#endif
    }
}
// 6 the plain read before a compare-and-swap loop is none; before an addition it is
__global__ void cas_loop(float *best, const float *x)
{
#ifdef BAD
    float old = *best; // BUG data_race
    atomicAdd(best, old < 1.f ? x[threadIdx.x] : 0.f); // BUG data_race
#else
    int *at = (int *)best, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed, __float_as_int(fmaxf(x[threadIdx.x], __int_as_float(assumed))));
    } while (assumed != old);
#endif
}
// 7 a look before an atomic maximum; an ordinary read while others add
__global__ void look_first(int *best, int *out, const int *x)
{
#ifdef BAD
    atomicAdd(best, x[threadIdx.x]);
    out[threadIdx.x] = *best; // BUG data_race
#else
    if (x[threadIdx.x] > *best)
        atomicMax(best, x[threadIdx.x]);
#endif
}
// 8 halves of a warp that meet for themselves
__global__ void half_warps(int *y)
{
    __shared__ int a[32];
    int i = threadIdx.x;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    a[i] = i;
    tile.sync();
    y[i] = a[B(31 - i, i ^ 15)]; // BUG data_race
}
// 9 a barrier of two warps of four
__global__ void named_barrier(int *y)
{
    __shared__ int a[128];
    int i = threadIdx.x;
    a[i] = i;
    if (i < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    y[i] = a[B(127 - i, i ^ 63)]; // BUG data_race
}
// 10 an asynchronous copy that is waited for, or not
__global__ void async_copy(const int *x, int *y)
{
    __shared__ int a[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&a[i], &x[i], 4);
    __pipeline_commit();
    B(, __pipeline_wait_prior(0));
    B(, __syncthreads());
    y[i] = a[i]; // BUG missing_async_wait
}
// 11 it is waited for, but others read it without a barrier
__global__ void async_copy_of_others(const int *x, int *y)
{
    __shared__ int a[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&a[i], &x[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    B(, __syncthreads());
    y[i] = a[63 - i]; // BUG data_race
}
// 12 the next round begins before all have read the last one
__global__ void rounds(int *y)
{
    __shared__ int a[64];
    int i = threadIdx.x, s = 0;
    for (int k = 0; k < 4; k++) {
        a[i] = i + k; // BUG data_race
        __syncthreads();
        s += a[63 - i];
        B(, __syncthreads());
    }
    y[i] = s;
}
// 13 neighbours in one word
__global__ void bytes_of_a_word(unsigned char *y)
{
    int i = threadIdx.x;
    y[B(i / 2, i)] = i; // BUG data_race
}
// 14 a histogram
__global__ void histogram(const unsigned char *x, int *h, int n)
{
    __shared__ int bins[16];
    int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    for (int k = i; k < n; k += blockDim.x)
        B(bins[x[k] & 15]++, atomicAdd(&bins[x[k] & 15], 1)); // BUG data_race
    __syncthreads();
    if (i < 16)
        atomicAdd(&h[i], bins[i]);
}
// 15 tiles with an edge: what lies outside is neither written nor used
__global__ void transpose(const float *x, float *y, int w, int h)
{
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c < w && r < h)
        tile[threadIdx.y][threadIdx.x] = x[r * w + c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    if (c < h && r < B(w + 1, w))
        y[r * h + c] = tile[threadIdx.x][threadIdx.y]; // BUG uninitialized_read|out_of_bounds
}
// 16 a structure with a hole, which nothing writes and words copy: no fault
struct item {
    double value;
    int key;
};
__global__ void holes(item *out)
{
    __shared__ item items[32];
    int i = threadIdx.x;
    items[i].value = i;
    items[i].key = i;
    __syncthreads();
    out[i] = items[31 - i];
}
// 17 values that nobody needs
__global__ void unused(float *y, int n)
{
    float a[4];
    for (int k = 0; k < n; k++)
        a[k] = k;
    y[threadIdx.x] = n == 4 || threadIdx.x B(<=, <) 3 ? a[threadIdx.x & 3] : 0.f; // BUG uninitialized_read
}
// 18 a barrier inside a branch, and a shuffle behind it
__global__ void barrier_in_branch(float *y)
{
    __shared__ float s[2];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    float v = threadIdx.x;
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
#ifdef BAD
    if (lane == 0) {
        s[warp] = v;
        __syncthreads(); // BUG barrier_divergence|deadlock
    }
#else
    if (lane == 0)
        s[warp] = v;
    __syncthreads();
#endif
    if (warp == 0) {
        v = lane < 2 ? s[lane] : 0.f;
        v += __shfl_down_sync(0xffffffff, v, 1);
        if (lane == 0)
            y[0] = v;
    }
}
// 19 a shuffle of the whole warp inside a branch, and a barrier behind it
__global__ void shuffle_in_branch(float *y)
{
    int i = threadIdx.x;
    float v = i;
    if (i < B(16, 32))
        v += __shfl_xor_sync(0xffffffff, v, 1); // BUG invalid_warp_mask
    __syncthreads();
    y[i] = v;
}

static void *device(size_t bytes)
{
    void *p;
    cudaMalloc(&p, bytes);
    cudaMemset(p, 0, bytes);
    return p;
}

extern "C" int order(int t)
{
    float *f = (float *)device(65536), *g = (float *)device(65536);
    int *a = (int *)device(65536), *b = (int *)device(65536), *c = (int *)device(65536);
    int zero = 0, n = 256;
    cudaMemcpyToSymbol(counter, &zero, 4);
    cudaMemcpyToSymbol(flag, &zero, 4);
    cudaMemcpyToSymbol(lock, &zero, 4);
    void *args[] = {&f, &g, &n};
    switch (t) {
    case 1: last_block<<<8, 32>>>(f, g); break;
    case 2: spin_flag<<<2, 1>>>(a, b); break;
    case 3: release_acquire<<<2, 1>>>(a, b, c); break;
    case 4: cudaLaunchCooperativeKernel((void *)grid_sync, 4, 64, args, 0, 0); break;
    case 5: locked<<<8, 32>>>(a); break;
    case 6: cas_loop<<<4, 64>>>(f, g); break;
    case 7: look_first<<<4, 64>>>(a, b, c); break;
    case 8: half_warps<<<1, 32>>>(a); break;
    case 9: named_barrier<<<1, 128>>>(a); break;
    case 10: async_copy<<<1, 64>>>(a, b); break;
    case 11: async_copy_of_others<<<1, 64>>>(a, b); break;
    case 12: rounds<<<1, 64>>>(a); break;
    case 13: bytes_of_a_word<<<1, 64>>>((unsigned char *)a); break;
    case 14: histogram<<<4, 64>>>((unsigned char *)a, b, 1000); break;
    case 15: transpose<<<dim3(3, 3), dim3(16, 16)>>>(f, g, 40, 37); break;
    case 16: holes<<<1, 32>>>((item *)f); break;
    case 17: unused<<<1, 32>>>(f, 3); break;
    case 18: barrier_in_branch<<<1, 64>>>(f); break;
    case 19: shuffle_in_branch<<<1, 32>>>(f); break;
    }
    cudaDeviceSynchronize();
    return 0;
}
