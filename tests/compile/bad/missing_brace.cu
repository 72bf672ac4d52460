__global__ void a(float *p, int n)
{
    int i = threadIdx.x;
    if (i < n) { // expect: compile_error
        p[i] = 1.0f;

__global__ void b(float *p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] = 2.0f;
}

void run(float *p, int n)
{
    a<<<1, 32>>>(p, n);
    b<<<1, 32>>>(p, n);
}
