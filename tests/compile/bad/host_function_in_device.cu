static float host_scale(float x)
{
    return 3.0f * x;
}

__global__ void k(float *p)
{
    p[threadIdx.x] = host_scale(p[threadIdx.x]); // expect: compile_error
}
