#include <cuda_runtime.h>

#define SWAP(a, b)      \
    do {                \
        int tmp = (a);  \
        (a) = (b);      \
        (b) = tmp;      \
    } while (0)

#define ADD_UP(total, base)             \
    for (int k = 0; k < 4; ++k) {       \
        (total) += (base)[k];           \
    }

__global__ void order(int *x, const int *w, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int tmp = x[2 * i];
        int other = x[2 * i + 1];
        if (tmp > other) {
            SWAP(tmp, other); // expect: macro_shadows_local review
        }
        int k = 0;
        ADD_UP(k, w + 4 * i) // expect: macro_shadows_local review
        x[2 * i] = tmp + k;
        x[2 * i + 1] = other;
    }
}

void run(int *x, const int *w, int n)
{
    order<<<(n / 2 + 127) / 128, 128>>>(x, w, n);
}
