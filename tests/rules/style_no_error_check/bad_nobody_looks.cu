#include <cuda_runtime.h>

__global__ void clear(float4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

void run(float4 *v, int n)
{
    clear<<<(n + 127) / 128, 128>>>(v, n); // expect: style_no_error_check note
    cudaDeviceSynchronize();
}
