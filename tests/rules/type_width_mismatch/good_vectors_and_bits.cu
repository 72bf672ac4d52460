#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void scale(__half *v, float *w, int n2)
{
    __half2 *pairs = reinterpret_cast<__half2 *>(v);
    int *bits = reinterpret_cast<int *>(w);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        pairs[i] = __hadd2(pairs[i], pairs[i]);
        bits[i] &= 0x7fffffff;
    }
}

void run(__half *v, float *w, int n2)
{
    scale<<<(n2 + 127) / 128, 128>>>(v, w, n2);
}
