#include <cstdio>
#include <cuda_runtime.h>

#define TRACE(i, v) printf("%d: %f\n", (i), (v))

__device__ void show(int i, float v)
{
    printf("x[%d] = %f\n", i, v); // expect: api_device_printf review
}

__global__ void half_of(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 0.5f;
        if (i == 0) {
            show(i, x[i]);
            TRACE(i, x[i]); // expect: api_device_printf review
        }
    }
}

void run(float *x, int n)
{
    half_of<<<(n + 127) / 128, 128>>>(x, n);
    printf("launched\n");
}
