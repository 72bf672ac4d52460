__global__ void k(float *p)
{
    __shared__ float w[Tmax]; // expect: compile_environment
    w[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = w[Tmax - 1 - threadIdx.x];
}
