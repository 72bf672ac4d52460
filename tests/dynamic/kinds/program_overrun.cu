#include <cstdio>
#include <cuda_runtime.h>

__global__ void shift(int *a, const int *lookup, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = lookup[a[i]];
}

int main()
{
    const int n = 1000;
    int *d, *t, h[n];
    for (int i = 0; i < n; i++)
        h[i] = i + 1; // the last one points past the table
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&t, n * sizeof(int));
    cudaMemset(t, 0, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    shift<<<(n + 255) / 256, 256>>>(d, t, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(t);
    cudaFree(d);
    printf("PASS\n"); // its own word is no evidence
    return 0;
}
