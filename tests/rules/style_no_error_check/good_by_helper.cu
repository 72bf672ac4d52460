#include <cstdio>
#include <cuda_runtime.h>

#define OK(call)                                             \
    do {                                                     \
        const cudaError_t e_ = (call);                       \
        if (e_ != cudaSuccess) {                             \
            std::printf("%s\n", cudaGetErrorString(e_));     \
        }                                                    \
    } while (0)

static void report_launch()
{
    OK(cudaGetLastError());
}

__global__ void clear(float4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

void run(float4 *v, int n)
{
    clear<<<(n + 127) / 128, 128>>>(v, n);
    report_launch();
}

void run_other(float4 *v, int n)
{
    clear<<<(n + 63) / 64, 64>>>(v, n);
    OK(cudaDeviceSynchronize());
}
