#include <cuda_runtime.h>

int blocks_for(const char *device_name, int n);

__global__ void scale(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] *= 3.0f;
    }
}

void run(float *v, int n)
{
    scale<<<blocks_for("any", n), 128>>>(v, n); // expect: index_space_unproven note
}
