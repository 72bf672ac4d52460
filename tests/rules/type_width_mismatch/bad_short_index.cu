#include <cuda_runtime.h>

__global__ void mark(unsigned char *v, int n)
{
    const short i = blockIdx.x * blockDim.x + threadIdx.x; // expect: type_width_mismatch review
    if (i < n) {
        v[i] = 1;
    }
}

void run(unsigned char *v, int n)
{
    mark<<<(n + 255) / 256, 256>>>(v, n);
}
