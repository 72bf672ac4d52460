extern __device__ float activation(float x); // expect: compile_environment

__global__ void apply(const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        y[t] = activation(x[t]);
}
