#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__host__ __device__ inline void fail(const char *why)
{
#ifdef __CUDA_ARCH__
    (void)why;
    __trap();
#else
    fprintf(stderr, "%s\n", why);
    exit(1);
#endif
}

// A generator of this file's own, with the C library's name.
struct lcg {
    unsigned state;
    __device__ unsigned rand()
    {
        state = state * 1664525u + 1013904223u;
        return state;
    }
};

__device__ float time(float t)
{
    return t * 0.5f;
}

constexpr int tiles(int n)
{
    return (n + 31) / 32;
}

__global__ void walk(float *x, int n)
{
    __shared__ char note[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n > 0);
    lcg g = {static_cast<unsigned>(i)};
    if (i < n) {
        float local[4];
        memset(local, 0, sizeof(local));
        memcpy(local, x + i, sizeof(float));
        const float c = std::sqrt(std::fabs(local[0])) + std::isnan(local[0]) + fmaxf(1.0f, local[1]);
        x[i] = c + time(1.0f) + g.rand() % 7 + (clock64() & 1);
        if (x[i] < 0.0f) {
            fail("negative");
        }
    }
    note[threadIdx.x % 32] = 0;
}

// Host code may call all of it.
int main()
{
    const int n = 1000 + rand() % tiles(100);
    float *x = nullptr;
    char *host = static_cast<char *>(calloc(n, sizeof(float)));
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
    auto check = [](cudaError_t rc) {
        if (rc != cudaSuccess) {
            fprintf(stderr, "%s\n", cudaGetErrorString(rc));
            exit(1);
        }
    };
    walk<<<(n + 127) / 128, 128>>>(x, n);
    check(cudaDeviceSynchronize());
    check(cudaFree(x));
    free(host);
    return 0;
}
