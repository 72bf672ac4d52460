#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void scale(__half *v, int n)
{
    float *wide = reinterpret_cast<float *>(v); // expect: type_width_mismatch reject
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        wide[i] *= 2.0f;
    }
}

void run(__half *v, int n)
{
    scale<<<(n + 127) / 128, 128>>>(v, n);
}
