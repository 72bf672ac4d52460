__global__ void k(float *p)
{
    __shared__ float tile[128][128]; // expect: compile_error
    tile[threadIdx.y][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
