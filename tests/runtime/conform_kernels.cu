// Launches: configurations, attributes, symbols, sticky errors. Compiled by nvcc.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define T(expression)                                                           \
    do {                                                                        \
        cudaError_t error_ = (expression);                                      \
        cudaError_t left_ = cudaGetLastError();                                 \
        printf("%d %s -> %s", __LINE__, #expression, cudaGetErrorName(error_)); \
        if (left_ != error_)                                                    \
            printf(" (left %s)", cudaGetErrorName(left_));                      \
        printf("\n");                                                           \
        fflush(stdout);                                                         \
    } while (0)
#define SHOW(format, ...)                                 \
    do {                                                  \
        printf("%d " format "\n", __LINE__, __VA_ARGS__); \
        fflush(stdout);                                   \
    } while (0)
// A launch leaves its error for the next call.
#define L(...)                                                                        \
    do {                                                                              \
        __VA_ARGS__;                                                                  \
        cudaError_t error_ = cudaGetLastError();                                      \
        cudaError_t sync_ = cudaDeviceSynchronize();                                  \
        printf("%d %s -> %s, %s\n", __LINE__, #__VA_ARGS__, cudaGetErrorName(error_), \
               cudaGetErrorName(sync_));                                              \
        fflush(stdout);                                                               \
    } while (0)

__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int shared_number = 7;

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}
__global__ void __launch_bounds__(128) bounded(int *p)
{
    p[threadIdx.x] = 1;
}
__global__ void use_symbols(float *out)
{
    out[0] = table[2] + counter;
    counter++;
    shared_number *= 2;
}
__global__ void dynamic(int *p, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[n - 1 - threadIdx.x];
}
struct Big {
    double a[10];
    char c;
};
__global__ void by_value(double *out, char x, Big b, short y)
{
    out[0] = b.a[9] + b.c + x + y;
}
__global__ void whole_grid(int *p)
{
    cooperative_groups::this_grid().sync();
    atomicAdd(p, 1);
}
__global__ void bad_write(int *p)
{
    p[(1ull << 40) + threadIdx.x] = 1;
}
template <typename V> __global__ void generic(V *p)
{
    p[threadIdx.x] = V(threadIdx.x) / 2;
}

int main()
{
    int *d;
    static int h[4096];
    T(cudaMalloc(&d, sizeof(h)));
    T(cudaMemset(d, 0, sizeof(h)));
    L(add<<<4, 256>>>(d, 1000, 3));
    T(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    SHOW("%d %d %d", h[0], h[999], h[1000]);
    // configurations
    L(add<<<0, 256>>>(d, 1000, 3));
    L(add<<<4, 0>>>(d, 1000, 3));
    L(add<<<1, 1025>>>(d, 1000, 3));
    L(add<<<1, dim3(32, 33)>>>(d, 1000, 3));
    L(add<<<1, dim3(1, 1, 65)>>>(d, 1000, 3));
    L(add<<<dim3(1, 65536), 1>>>(d, 1, 0));
    L(add<<<dim3(1, 1, 65536), 1>>>(d, 1, 0));
    L(add<<<1, 32, 49153>>>(d, 1000, 3));
    L(add<<<1, 32, 1 << 20>>>(d, 1000, 3));
    L(bounded<<<1, 128>>>(d));
    L(bounded<<<1, 129>>>(d));
    // dynamic shared memory
    L(dynamic<<<1, 64, 64 * 4>>>(d, 64));
    T(cudaMemcpy(h, d, 64 * 4, cudaMemcpyDeviceToHost));
    SHOW("%d %d", h[0], h[63]);
    T(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    L(dynamic<<<1, 64, 65536>>>(d, 64));
    L(dynamic<<<1, 64, 65537>>>(d, 64));
    T(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    T(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    T(cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)99, 1));
    T(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    T(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    T(cudaFuncSetAttribute((const void *)0, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    T(cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferL1));
    cudaFuncAttributes a;
    T(cudaFuncGetAttributes(&a, bounded));
    SHOW("%d %zu", a.maxThreadsPerBlock, a.sharedSizeBytes);
    T(cudaFuncGetAttributes(&a, dynamic));
    SHOW("%d %d", a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout);
    T(cudaFuncGetAttributes(&a, (const void *)h));
    const char *name;
    T(cudaFuncGetName(&name, (const void *)add));
    SHOW("%s", name);
    size_t offset, size;
    T(cudaFuncGetParamInfo((const void *)by_value, 2, &offset, &size));
    SHOW("%zu %zu", offset, size);
    T(cudaFuncGetParamInfo((const void *)by_value, 4, &offset, &size));
    // arguments
    double *out;
    T(cudaMalloc(&out, 64));
    Big b = {};
    b.a[9] = 0.5;
    b.c = 3;
    L(by_value<<<1, 1>>>(out, 4, b, 100));
    double got;
    T(cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost));
    SHOW("%g", got);
    char x = 1;
    short y = 2;
    void *args[] = {&out, &x, &b, &y};
    T(cudaLaunchKernel((const void *)by_value, dim3(1), dim3(1), args, 0, 0));
    T(cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost));
    SHOW("%g", got);
    T(cudaLaunchKernel((const void *)h, dim3(1), dim3(1), args, 0, 0));
    T(cudaLaunchKernel((const void *)0, dim3(1), dim3(1), args, 0, 0));
    T(cudaFuncSetAttribute((const void *)h, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    T(cudaFuncGetAttributes(&a, (const void *)0));
    T(cudaFuncGetName(&name, (const void *)h));
    T(cudaFuncGetName(&name, (const void *)0));
    T(cudaFuncSetCacheConfig((const void *)h, cudaFuncCachePreferL1));
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)h, (const void *)h, 32, 0));
    L(generic<float><<<1, 4>>>((float *)d));
    float f[4];
    T(cudaMemcpy(f, d, 16, cudaMemcpyDeviceToHost));
    SHOW("%g", f[3]);
    // Ex launches
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    T(cudaLaunchKernelEx(&config, add, d, 32, 1));
    config.blockDim = dim3(2048);
    T(cudaLaunchKernelEx(&config, add, d, 32, 1));
    T(cudaDeviceSynchronize());
    // the whole grid at once
    T(cudaMemset(d, 0, 4));
    void *grid_args[] = {&d};
    T(cudaLaunchCooperativeKernel((const void *)whole_grid, dim3(8), dim3(64), grid_args, 0, 0));
    T(cudaDeviceSynchronize());
    T(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    SHOW("%d", h[0]);
    T(cudaLaunchCooperativeKernel((const void *)whole_grid, dim3(1 << 20), dim3(64), grid_args, 0, 0));
    // symbols
    int value = 40;
    float t[4] = {10, 20, 30, 40};
    T(cudaMemcpyToSymbol(counter, &value, 4));
    T(cudaMemcpyToSymbol(table, t, sizeof(t)));
    T(cudaMemcpyToSymbol(table, t, 8, 8));
    T(cudaMemcpyToSymbol(table, t, 8, 12));
    T(cudaMemcpyToSymbol(table, t, 17));
    T(cudaMemcpyToSymbol(table, t, 4, 0, cudaMemcpyDeviceToHost));
    T(cudaMemcpyToSymbol(table, t, 4, 0, cudaMemcpyDefault));
    L(use_symbols<<<1, 1>>>((float *)out));
    T(cudaMemcpy(f, out, 4, cudaMemcpyDeviceToHost));
    SHOW("%g", f[0]);
    T(cudaMemcpyFromSymbol(&value, counter, 4));
    SHOW("%d %d", value, shared_number);
    T(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyHostToDevice));
    void *where = NULL;
    T(cudaGetSymbolAddress(&where, counter));
    SHOW("%d", where != NULL);
    T(cudaGetSymbolSize(&size, table));
    SHOW("%zu", size);
    T(cudaGetSymbolSize(&size, (const void *)h));
    T(cudaGetSymbolAddress(&where, (const void *)h));
    T(cudaMemcpy(&value, where, 4, cudaMemcpyDeviceToHost));
    // occupancy: what does not hang on the device
    int blocks = -1;
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, 0));
    SHOW("%d", blocks);
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    SHOW("%d", blocks);
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 0));
    SHOW("%d", blocks);
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 2048, 0));
    SHOW("%d", blocks);
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 0, 0));
    T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    SHOW("%d", blocks);
    int least, best;
    T(cudaOccupancyMaxPotentialBlockSize(&least, &best, add, 0, 0));
    SHOW("%d", best);
    // a graph with a kernel in it
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    T(cudaStreamCreate(&s));
    T(cudaMemset(d, 0, 4096));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(d, 32, 5);
    add<<<1, 32, 0, s>>>(d, 16, 1);
    T(cudaStreamEndCapture(s, &g));
    T(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 3; i++)
        T(cudaGraphLaunch(exec, s));
    T(cudaStreamSynchronize(s));
    T(cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost));
    SHOW("%d %d", h[0], h[31]);
    // a fault sticks
    bad_write<<<1, 32>>>(d);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    T(cudaDeviceSynchronize());
    T(cudaDeviceSynchronize());
    SHOW("%s %s", cudaGetErrorName(cudaPeekAtLastError()), cudaGetErrorName(cudaGetLastError()));
    void *p;
    T(cudaMalloc(&p, 4));
    T(cudaFree(d));
    T(cudaMemset(d, 0, 4));
    T(cudaStreamSynchronize(s));
    T(cudaStreamCreate(&s));
    T(cudaGetDevice(&value));
    T(cudaSetDevice(0));
    cudaDeviceProp prop;
    T(cudaGetDeviceProperties(&prop, 0));
    T(cudaFuncGetAttributes(&a, add));
    add<<<1, 1>>>(d, 1, 1);
    SHOW("%s", cudaGetErrorName(cudaGetLastError()));
    T(cudaDeviceReset());
    T(cudaMalloc(&p, 4));
    T(cudaDeviceSynchronize());
    printf("end\n");
    return 0;
}
