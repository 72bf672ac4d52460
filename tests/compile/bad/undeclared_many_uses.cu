__global__ void scale(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) // expect: compile_error
        y[i] = x[i];
    if (i + 1 < count)
        y[i + 1] = x[i + 1];
    if (i + 2 < count)
        y[i + 2] = x[i + 2];
}
