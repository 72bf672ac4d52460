// ask: op=layernorm
// get: launcher layernorm [in:x out:y dim:rows dim:cols] f32 DD
__global__ void ln(const float *x, float *y, int n, int d)
{
    int r = blockIdx.x;
    y[r * d] = x[r * d];
}
void layernorm(const float *input, float *output, int rows, int cols)
{
    ln<<<rows, 256>>>(input, output, rows, cols);
}
