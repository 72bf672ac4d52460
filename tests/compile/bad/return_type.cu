__global__ int k(float *p) // expect: compile_error
{
    p[threadIdx.x] = 1.0f;
    return 0;
}
