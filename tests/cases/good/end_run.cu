#include <cuda_runtime.h>
#include <iostream>

__global__ void ramp(int *p, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) p[k] = k;
}

int main()
{
    const int n = 1000;
    int *p, last = 0;
    cudaMalloc(&p, n * sizeof(int));
    ramp<<<(n + 255) / 256, 256>>>(p, n);
    cudaMemcpy(&last, p + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << "last " << last << " (formerly closed by cudaThreadExit())\n";
    cudaFree(p);
    cudaDeviceReset();
    return last == n - 1 ? 0 : 1;
}
