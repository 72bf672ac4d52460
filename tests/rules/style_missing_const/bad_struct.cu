#include <cuda_runtime.h>

struct item {
    int key;
    float weight;
};

__global__ void weights(item *items, // expect: style_missing_const note
                        float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = items[i].weight * fabsf(items->weight);
    }
}
