#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

int main()
{
    const int n = 1000;
    int *d, h[n];
    cudaMalloc(&d, n * sizeof(int));
    fill<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%s\n", h[n - 1] == n - 1 ? "PASS" : "FAIL");
    return 0;
}
