__global__ void k(float *p, int n)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = 1.0f;
}

void run(double *p, int n)
{
    k<<<1, 32>>>(p, n); // expect: compile_error
}
