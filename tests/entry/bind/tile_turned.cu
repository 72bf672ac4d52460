// ask: op=transpose
// get: kernel tr [in:x out:y dim:rows dim:cols] f32 DD <<<(ceil_div(rows, 16), ceil_div(cols, 16), 1), (16, 16, 1), 0>>>
__global__ void tr(const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        y[c * rows + r] = x[r * cols + c];
}
