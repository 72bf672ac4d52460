#include <cuda_runtime.h>

struct cell {
    int key, value;
};

__global__ void turn(cell *v)
{
    __shared__ __align__(16) cell cells[]; // expect: shared_missing_extern reject
    cells[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = cells[threadIdx.x ^ 1];
}
