// ask: op=bias_relu
// get: launcher bias_relu [inout:x in:bias dim:rows dim:cols] f32 DD
__global__ void br(float *x, const float *b, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        float v = x[i] + b[i % cols];
        x[i] = v > 0 ? v : 0;
    }
}
extern "C" void bias_relu(float *x, const float *bias, int rows, int cols)
{
    br<<<(rows * cols + 255) / 256, 256>>>(x, bias, rows, cols);
}
