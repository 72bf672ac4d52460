// ask: op=axpy
// get: launcher saxpy [dim:n scalar:alpha in:x inout:y] f32 DD
__global__ void saxpy_k(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
void saxpy(int n, float alpha, const float *x, float *y)
{
    saxpy_k<<<(n + 255) / 256, 256>>>(n, alpha, x, y);
}
