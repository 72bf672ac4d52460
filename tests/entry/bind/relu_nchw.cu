// ask: op=relu
// get: launcher relu [in:x out:y dim:1 dim:1 dim:rows dim:cols] f32 DD
__global__ void relu_k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fmaxf(in[i], 0.f);
}
void relu(const float *in, float *out, int N, int C, int H, int W)
{
    int n = N * C * H * W;
    relu_k<<<(n + 255) / 256, 256>>>(in, out, n);
}
