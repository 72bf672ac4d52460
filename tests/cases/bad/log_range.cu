#include <cuda_runtime.h>
#include <cstdio>

__global__ void check_range(const float* v, int n, float lo, float hi, int* bad)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        if (!(v[i] >= lo && v[i] <= hi)) {
            fprintf(stderr, "value %d out of range\n", i);
            atomicAdd(bad, 1);
        }
    }
}

// v: n floats on the device, 0 <= n <= 2^30
int out_of_range(const float* v, int n, float lo, float hi)
{
    int *d_bad, h_bad = 0;
    cudaMalloc(&d_bad, sizeof(int));
    cudaMemset(d_bad, 0, sizeof(int));
    check_range<<<40, 128>>>(v, n, lo, hi, d_bad);
    cudaMemcpy(&h_bad, d_bad, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_bad);
    if (h_bad) fprintf(stderr, "%d values out of range\n", h_bad);
    return h_bad;
}
