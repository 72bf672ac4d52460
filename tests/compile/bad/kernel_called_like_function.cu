__global__ void k(float *p)
{
    p[threadIdx.x] = 1.0f;
}

void run(float *p)
{
    k(p); // expect: compile_error
}
