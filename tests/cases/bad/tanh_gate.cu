#include <cuda_runtime.h>
#include <math.h>

__global__ void gate_kernel(const float *a, const float *b, float *c, size_t n)
{
    size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        c[idx] = tanhf(a[idx]) * b[idx];
    }
}

/* n from 1 to 10^9 */
int gate(const float *a, const float *b, float *c, size_t n, cudaStream_t stream)
{
    const int num_blocks = 128;
    const int num_threads = 256;
    gate_kernel<<<num_blocks, num_threads, 0, stream>>>(a, b, c, n);
    return cudaPeekAtLastError() == cudaSuccess ? 0 : -1;
}
