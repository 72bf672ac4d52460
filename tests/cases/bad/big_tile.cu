#include <cuda_runtime.h>

#define ENTRIES 20000

__global__ void sort_like(const double *in, double *out)
{
    extern __shared__ double s[];
    for (int i = threadIdx.x; i < ENTRIES; i += blockDim.x)
        s[i] = in[(size_t)blockIdx.x * ENTRIES + i];
    __syncthreads();
    for (int i = threadIdx.x; i < ENTRIES; i += blockDim.x)
        out[(size_t)blockIdx.x * ENTRIES + i] = s[ENTRIES - 1 - i];
}

/* groups: 1 .. 1000 */
void reverse_groups(const double *in, double *out, int groups)
{
    sort_like<<<groups, 512, ENTRIES * sizeof(double)>>>(in, out);
}
