__global__ void k(float *p)
{
    float v = p[threadIdx.x];
    v += __shfl_down(v, 16); // expect: compile_error
    p[threadIdx.x] = v;
}
