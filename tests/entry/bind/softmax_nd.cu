// ask: op=softmax
// get: launcher softmax_forward [in:x out:y dim:rows dim:cols] f32 DD
__global__ void sm(const float *x, float *y, int N, int D)
{
    int r = blockIdx.x;
    for (int i = threadIdx.x; i < D; i += blockDim.x)
        y[r * D + i] = x[r * D + i];
}
void softmax_forward(const float *x, float *y, int N, int D) { sm<<<N, 256>>>(x, y, N, D); }
