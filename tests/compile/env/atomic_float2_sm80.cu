__global__ void add(float2 *sum, const float2 *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i]); // expect: compile_environment
}
