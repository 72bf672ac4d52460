// Accesses outside of what they are meant for, in every kind of memory. Bad with -DBAD, as in zoo.cu.
#include <cuda_runtime.h>
#ifdef BAD
#define B(x, y) x
#else
#define B(x, y) y
#endif

__constant__ float constants[16];
__device__ int variable[8];

// 1 an array of the thread's own
__global__ void local_array(float *y, int n)
{
    float a[8];
    for (int k = 0; k < n + B(1, 0); k++)
        a[k] = k; // BUG out_of_bounds
    y[threadIdx.x] = a[(n * 7) & 7];
}
// 2 the same through a function that isn't inlined
__device__ __noinline__ void fill(float *p, int n)
{
    for (int k = 0; k < n; k++)
        p[k] = k; // BUG out_of_bounds
}
__global__ void local_array_of_a_caller(float *y, int n)
{
    float a[8];
    fill(a, B(64, n));
    y[threadIdx.x] = a[(n * 7) & 7];
}
// 3 constant memory
__global__ void constant_array(float *y)
{
    y[threadIdx.x] = constants[threadIdx.x + B(1, 0)]; // BUG out_of_bounds
}
// 4 a variable of the module
__global__ void module_variable(int *y)
{
    variable[threadIdx.x & 7] = 1;
    __syncthreads();
    y[threadIdx.x] = variable[B(threadIdx.x, threadIdx.x & 7)]; // BUG out_of_bounds
}
// 5 below a shared array
__global__ void below_shared(float *y)
{
    __shared__ float before[32], a[32];
    int i = threadIdx.x;
    before[i] = a[i] = i;
    __syncthreads();
    y[i] = a[B(i - 1, i)] + before[i]; // BUG out_of_bounds
}
// 6 dynamic shared memory that is too small
__global__ void dynamic_shared(float *y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x; // BUG out_of_bounds
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1];
}
// 7 a shared array through a pointer that nobody knows to be shared
__device__ __noinline__ float pick(const float *p, int i)
{
    return p[i]; // BUG out_of_bounds
}
__global__ void generic_shared(float *y)
{
    __shared__ float s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = pick(s, threadIdx.x + B(1, 0));
}
// 8 four at a time across the end
__global__ void vector_tail(const float4 *x, float4 *y, int n)
{
    int i = threadIdx.x;
    if (i * 4 + B(0, 3) < n)
        y[i] = x[i]; // BUG out_of_bounds
}
// 9 pairs that don't begin where pairs do
__global__ void misaligned_pair(const float *x, float *y)
{
    *(float2 *)(y + 2 * threadIdx.x) = *(const float2 *)(x + 2 * threadIdx.x + B(1, 2)); // BUG misaligned_access
}
// 10 managed memory
__global__ void managed(int *m, int n)
{
    m[threadIdx.x + B(n - 31, 0)] = 1; // BUG out_of_bounds
}
// 11 a row too many, which lies in the next allocation on a GPU
__global__ void rows(const float *x, float *y, int w, int h)
{
    int c = threadIdx.x, r = blockIdx.x;
    y[r * w + c] = x[(r + B(2, 0)) * w + c]; // BUG out_of_bounds
}
// 12 an index that wraps at 32 bits
__global__ void wraps(float *y, int n)
{
    unsigned i = threadIdx.x;
    y[B(i - 1u, i)] = 1.f; // BUG out_of_bounds
}
// 13 memory of the device's own heap
__global__ void heap(int *y)
{
    int *p = (int *)malloc(64);
    if (!p)
        return;
    for (int k = 0; k < 16; k++)
        p[k] = k;
    y[threadIdx.x] = p[B(16, 15)]; // BUG out_of_bounds
    free(p);
}
// 14 an atomic operation past the end
__global__ void atomic_past_the_end(int *h)
{
    atomicAdd(&h[threadIdx.x / B(1, 2)], 1); // BUG out_of_bounds
}

extern "C" int bounds(int t)
{
    float *f, *g;
    int *a, *m;
    cudaMalloc(&f, 400);
    cudaMalloc(&g, 396);
    cudaMalloc(&a, 128);
    cudaMallocManaged(&m, 400);
    cudaMemset(f, 0, 400);
    cudaMemset(g, 0, 396);
    cudaMemset(a, 0, 128);
    switch (t) {
    case 1: local_array<<<1, 32>>>(f, 8); break;
    case 2: local_array_of_a_caller<<<1, 32>>>(f, 8); break;
    case 3: constant_array<<<1, 16>>>(f); break;
    case 4: module_variable<<<1, 32>>>(a); break;
    case 5: below_shared<<<1, 32>>>(f); break;
    case 6: dynamic_shared<<<1, 32, B(124, 128)>>>(f); break;
    case 7: generic_shared<<<1, 32>>>(f); break;
    case 8: vector_tail<<<1, 32>>>((float4 *)f, (float4 *)g, 99); break;
    case 9: misaligned_pair<<<1, 32>>>(f, g); break;
    case 10: managed<<<1, 32>>>(m, 100); break;
    case 11: rows<<<9, 10>>>(f, g, 10, 9); break;
    case 12: wraps<<<1, 32>>>(f, 100); break;
    case 13: heap<<<1, 32>>>(a); break;
    case 14: atomic_past_the_end<<<1, 64>>>(a); break;
    }
    cudaDeviceSynchronize();
    cudaFree(m);
    return 0;
}
