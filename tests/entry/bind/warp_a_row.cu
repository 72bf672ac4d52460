// ask: op=softmax
// get: kernel softmax_warp [in:x out:y dim:rows dim:cols] f32 DD <<<(rows, 1, 1), (32, 1, 1), 0>>> assumed: a launch with rows blocks of 32 threads
__global__ void softmax_warp(const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x;
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += 32)
        s += x[r * cols + i];
    s += __shfl_xor_sync(~0u, s, 1);
    y[r * cols] = s;
}
