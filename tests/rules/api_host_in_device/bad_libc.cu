#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__device__ int pick(int n)
{
    return rand() % n; // expect: api_host_in_device reject
}

__global__ void shuffle(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[pick(n)];
        if (x[i] < 0) {
            fprintf(stderr, "bad value\n"); // expect: api_host_in_device reject
            exit(1); // expect: api_host_in_device reject
        }
        memmove(x, x + 1, 4); // expect: api_host_in_device reject
    }
}

void run(int *x, int n)
{
    srand(7);
    shuffle<<<(n + 127) / 128, 128>>>(x, n);
}
