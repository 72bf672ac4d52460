#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

static void cudaCheckErrors(cudaError_t e, const char* what)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

template <typename T>
static T* cudaMallocOrDie(size_t count)
{
    T* p = nullptr;
    cudaCheckErrors(cudaMalloc(&p, count * sizeof(T)), "malloc");
    return p;
}

__device__ inline void atomicAddTo(double* where, double v) { atomicAdd(where, v); }

__global__ void sum_squares(const float* x, double* s, int n)
{
    double mine = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += (double)x[i] * x[i];
    atomicAddTo(s, mine);
}

// x: n floats on the host, 1 <= n <= 2^28
double norm2(const float* x, int n)
{
    float* d = cudaMallocOrDie<float>(n);
    double* s = cudaMallocOrDie<double>(1);
    double out = 0.0;
    cudaCheckErrors(cudaMemcpy(d, x, n * sizeof(float), cudaMemcpyHostToDevice), "copy in");
    cudaCheckErrors(cudaMemset(s, 0, sizeof(double)), "clear");
    sum_squares<<<60, 256>>>(d, s, n);
    cudaCheckErrors(cudaGetLastError(), "launch");
    cudaCheckErrors(cudaMemcpy(&out, s, sizeof out, cudaMemcpyDeviceToHost), "copy out");
    cudaFree(d);
    cudaFree(s);
    return out;
}
