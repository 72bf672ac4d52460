__global__ void k(float *p, int n)
{
    for i in range(n): // expect: compile_error
        p[i] = 1.0f;
}
