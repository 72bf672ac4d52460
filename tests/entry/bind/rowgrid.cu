// ask: op=softmax
// get: kernel softmax_kernel [in:x out:y dim:cols] f32 DD free:0 <<<(rows[128], 1, 1), (256, 1, 1), (256 * 4)>>>
__global__ void softmax_kernel(const float *x, float *y, int cols)
{
    int r = blockIdx.x;
    y[r * cols] = x[r * cols];
}
int main()
{
    int rows = 128, cols = 512;
    float *x = 0, *y = 0;
    softmax_kernel<<<rows, 256, 256 * sizeof(float)>>>(x, y, cols);
}
