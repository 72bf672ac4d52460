__global__ void child(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1.0f;
}

__global__ void parent(float *p, int n)
{
    if (threadIdx.x == 0)
        child<<<(n + 127) / 128, 128>>>(p, n); // expect: compile_environment
}
