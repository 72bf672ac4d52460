#include <cuda_runtime.h>

struct item {
    int key;
    float weight;
};

__device__ void bump(float &w)
{
    w += 1.0f;
}

__global__ void change(item *a, float *b, int *c, float *d, const float *e, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i].key++;
        bump(b[i]);
        atomicAdd(&c[i % 4], 1);
        float *mine = d + i;
        *mine = e[i];
    }
}
