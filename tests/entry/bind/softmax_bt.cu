// ask: op=softmax
// get: launcher softmax [in:x out:y dim:rows dim:1 dim:cols] f32 DD
__global__ void sm(const float *x, float *y, int N, int D)
{
    int r = blockIdx.x;
    y[r * D] = x[r * D];
}
void softmax(const float *x, float *y, int batch_size, int seq_len, int dim)
{
    sm<<<batch_size * seq_len, 256>>>(x, y, batch_size * seq_len, dim);
}
