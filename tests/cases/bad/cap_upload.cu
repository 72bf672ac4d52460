#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void cap(float *v, float top, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] > top)
        v[i] = top;
}

/* values: host array of n floats, 1 <= n <= 2^28 */
int cap_values(float *values, float top, int n)
{
    float *d = NULL;
    size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    if (!host || cudaMalloc((void **)&d, bytes) != cudaSuccess) {
        free(host);
        return -1;
    }
    for (int i = 0; i < n; i++)
        host[i] = values[i];
    cudaMemcpy(d, host, bytes, cudaMemcpyHostToDevice);
    cap<<<(n + 255) / 256, 256>>>(d, top, n);
    cudaMemcpy(host, d, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++)
        values[i] = host[i];
    cudaFree(d);
    free(host);
    return 0;
}
