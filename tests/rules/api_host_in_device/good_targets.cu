#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cuda/std/utility>
#include <nv/target>

__host__ __device__ inline void stop(const char *why)
{
    NV_IF_TARGET(NV_IS_HOST, (fprintf(stderr, "%s\n", why); exit(1);), ((void)why; __trap();))
}

// Nothing instantiates it: that it calls a host function proves nothing.
template <typename T>
__device__ T unused(T v)
{
    return v * rand();
}

namespace random_ {
__device__ int rand(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return static_cast<int>(state >> 16);
}
} // namespace random_

__global__ void noise(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0) {
        stop("negative size");
    }
    auto sort = [](float a, float b) { return a < b ? a : b; };
    const int wait = 3;
    if (i < n) {
        unsigned state = i + wait;
        x[i] = sort(x[i], random_::rand(state) * 0.5f) + cuda::std::move(x[i]);
    }
}

void run(float *x, int n)
{
    noise<<<(n + 127) / 128, 128>>>(x, n);
    auto quit = [](int rc) { exit(rc); };
    if (cudaDeviceSynchronize() != cudaSuccess) {
        quit(1);
    }
}
