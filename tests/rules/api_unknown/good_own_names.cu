#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Names of this file that look like CUDA's.
enum cudaJobState { cudaJobReady, cudaErrorUnknowns, cudaErrorNotReadys = 7 };
constexpr int cudaStreamDefaults = 3;
using cudaStreams_t = cudaStream_t;
#define cudaCheck(call) cudaCheckImpl((call), __FILE__, __LINE__)

static void cudaCheckImpl(cudaError_t rc, const char *file, int line)
{
    if (rc != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(rc));
        exit(1);
    }
}

static cudaError_t cudaMallocs(float **a, float **b, size_t bytes)
{
    cudaError_t rc = cudaMalloc(a, bytes);
    return rc != cudaSuccess ? rc : cudaMalloc(b, bytes);
}

__device__ __forceinline__ float __expff(float x)
{
    return __expf(x);
}

__device__ void atomicMaxf(float *at, float v)
{
    int *p = reinterpret_cast<int *>(at);
    int old = *p;
    while (__int_as_float(old) < v) {
        const int seen = old;
        old = atomicCAS(p, seen, __float_as_int(v));
        if (old == seen) {
            break;
        }
    }
}

__global__ void soft(float *x, float *top, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = __expff(x[i]);
        atomicMaxf(top, x[i]);
    }
}

int main()
{
    float *x = nullptr;
    float *top = nullptr;
    cudaStreams_t stream = nullptr;
    cudaJobState cudaMemoryTypeHosts = cudaErrorUnknowns, cudaMemoryTypeDevices = cudaErrorNotReadys;
    if (cudaMemoryTypeHosts == cudaMemoryTypeDevices || cudaStreamDefaults != 3 || stream) {
        return 1;
    }
    cudaCheck(cudaMallocs(&x, &top, 4096));
    cudaCheck(cudaMemset(x, 0, 4096));
    cudaCheck(cudaMemset(top, 0, 4096));
    soft<<<4, 256>>>(x, top, 1000);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());
    // cudaMaloc and cudaDeviceSyncronize are only named in this comment and in the string below.
    puts("not cudaMaloc(x)");
    cudaCheck(cudaFree(x));
    cudaCheck(cudaFree(top));
    return 0;
}
