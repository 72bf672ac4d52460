/* Kernels for server_emulated.c: launched by the server itself, with no candidate process. */
__device__ float bias[4] = {0.5f, 0.5f, 0.5f, 0.5f};

extern "C" __global__ void scale(float *p, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = p[i] * by + bias[i % 4];
}

extern "C" __global__ void unguarded(float *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

extern "C" __global__ void __launch_bounds__(64) bounded(float *p)
{
    p[threadIdx.x] = 2.0f;
}

extern "C" __global__ void endless(volatile int *p)
{
    while (*p == 0)
        ;
}

extern "C" __global__ void reverse(float *p, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[n - 1 - threadIdx.x];
}
