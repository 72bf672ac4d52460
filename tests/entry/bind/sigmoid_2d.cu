// ask: op=sigmoid
// get: launcher sigmoid [in:x out:y dim:rows dim:cols] f32 DD
__global__ void sg(const float *x, float *y, int h, int w)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < h && c < w)
        y[r * w + c] = 1.f / (1.f + expf(-x[r * w + c]));
}
void sigmoid(const float *x, float *y, int height, int width)
{
    dim3 b(16, 16), g((width + 15) / 16, (height + 15) / 16);
    sg<<<g, b>>>(x, y, height, width);
}
