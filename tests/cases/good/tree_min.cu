#include <cuda_runtime.h>

#define NT 256

__global__ void tree(const int *in, int *out, int n)
{
    __shared__ int best[NT];
    int t = threadIdx.x;
    int b = 0x80000000;
    for (int i = blockIdx.x * NT + t; i < n; i += NT * gridDim.x)
        b = max(b, in[i]);
    best[t] = b;
    __syncthreads();

    for (int s = NT / 2; s > 0; s /= 2) {
        if (t < s)
            best[t] = max(best[t], best[t + s]);
        __syncthreads();
    }
    if (t == 0)
        atomicMax(out, best[0]);
}

/* n: 1 .. 2^30, *out holds INT_MIN before */
void block_max(const int *in, int *out, int n)
{
    tree<<<64, NT>>>(in, out, n);
}
