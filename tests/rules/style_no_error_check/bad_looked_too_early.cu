#include <cuda_runtime.h>

__global__ void clear(int4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = make_int4(0, 0, 0, 0);
    }
}

bool run(int4 *v, int n, cudaStream_t s)
{
    if (cudaGetLastError() != cudaSuccess) {
        return false;
    }
    clear<<<(n + 127) / 128, 128, 0, s>>>(v, n); // expect: style_no_error_check note
    clear<<<(n + 127) / 128, 128, 0, s>>>(v, n);
    return true;
}
