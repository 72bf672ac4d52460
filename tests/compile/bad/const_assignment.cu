__global__ void k(const float *x, float *y)
{
    x[threadIdx.x] = y[threadIdx.x]; // expect: compile_error
}
