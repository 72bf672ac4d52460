#include <cuda_runtime.h>

__global__ void lookup(const int *key, const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i = min(i, n - 1);
    out[i] = table[key[i] & 1023];
}

/* table: 1024 floats; 1 <= n <= 2^30 */
void lookup_all(const int *key, const float *table, float *out, int n, cudaStream_t stream)
{
    lookup<<<(n + 255) / 256, 256, 0, stream>>>(key, table, out, n);
}
