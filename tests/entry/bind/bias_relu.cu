// ask: op=bias_relu
// get: launcher bias_relu [in:x in:bias out:y dim:rows dim:cols] f32 DDD
__global__ void br(const float *x, const float *b, float *y, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        float v = x[i] + b[i % cols];
        y[i] = v > 0 ? v : 0;
    }
}
extern "C" void bias_relu(const float *x, const float *bias, float *y, int rows, int cols)
{
    br<<<(rows * cols + 255) / 256, 256>>>(x, bias, y, rows, cols);
}
