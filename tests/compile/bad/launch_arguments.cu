__global__ void k(float *p, int n)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = 1.0f;
}

void run(float *p)
{
    k<<<1, 32>>>(p); // expect: compile_error
}
