__global__ void clear(float *p, int rows)
{
    int r = blockIdx.x;
    if (r < rows)
        p[r * ROW_PITCH + threadIdx.x] = 0.0f; // expect: compile_environment
}
