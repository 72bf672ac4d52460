template <class F> __global__ void each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}

void add_one(float *p, int n)
{
    each<<<(n + 255) / 256, 256>>>(n, [=] __device__(int i) { p[i] += 1.0f; }); // expect: compile_environment
}
