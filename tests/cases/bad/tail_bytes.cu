#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void collatz(const unsigned *start, int *steps, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned long long v = start[i];
        int s = 0;
        for (; v > 1 && s < 1000; s++)
            v = v & 1 ? 3 * v + 1 : v / 2;
        steps[i] = s;
    }
}

/* start: n unsigned on the host; returns n ints to be freed by the caller; 1 <= n <= 2^24 */
int *collatz_steps(const unsigned *start, int n)
{
    unsigned *d_start;
    int *d_steps, *steps = (int *)malloc(n * sizeof(int));
    if (!steps)
        return NULL;
    cudaMalloc((void **)&d_start, n * sizeof(unsigned));
    cudaMalloc((void **)&d_steps, n * sizeof(int));
    cudaMemcpy(d_start, start, n * sizeof(unsigned), cudaMemcpyHostToDevice);
    collatz<<<(n + 63) / 64, 64>>>(d_start, d_steps, n);
    cudaMemcpy(steps, d_steps, n, cudaMemcpyDeviceToHost);
    cudaFree(d_start);
    cudaFree(d_steps);
    return steps;
}
