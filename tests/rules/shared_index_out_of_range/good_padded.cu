#include <cuda_runtime.h>

// One column more than needed keeps the banks apart.
__global__ void turn(float *m)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = m[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    m[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *m)
{
    turn<<<1, dim3(32, 32)>>>(m);
}
