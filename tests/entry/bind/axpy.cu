// ask: op=axpy
// get: kernel saxpy [dim:n scalar:alpha in:x inout:y] f32 DD <<<(ceil_div(n, 256), 1, 1), (256, 1, 1), 0>>>
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
