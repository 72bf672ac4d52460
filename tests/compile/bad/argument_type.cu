__device__ float twice(float x)
{
    return 2.0f * x;
}

__global__ void k(float *p)
{
    p[threadIdx.x] = twice(p); // expect: compile_error
}
