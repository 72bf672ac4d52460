#include <cuda_runtime.h>

__global__ void neighbours(const int *in, int *out, int n)
{
    extern __shared__ int cache[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) {
        out[i] = cache[threadIdx.x] + (threadIdx.x > 0 ? cache[threadIdx.x - 1] : 0);
    }
}

void run(const int *in, int *out, int n)
{
    neighbours<<<(n + 255) / 256, 256>>>(in, out, n); // expect: shared_size_mismatch reject
}
