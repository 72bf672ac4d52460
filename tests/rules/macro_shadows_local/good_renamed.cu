#include <cuda_runtime.h>

// Renames a name everywhere: what is declared is what is used.
#define w width
#define count n_items

struct box {
    int w, h;
};

__global__ void areas(const box *b, int *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = b[i].h;
    }
}
