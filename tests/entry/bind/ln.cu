// ask: op=layernorm
// get: launcher layer_norm [in:x in:gamma in:beta out:y dim:rows dim:cols scalar:eps] f32 DDDD
__global__ void ln(const float *x, const float *g, const float *b, float *y, int n, int d,
                   float eps)
{
    int r = blockIdx.x;
    y[r * d] = x[r * d] * g[0] + b[0] + eps;
}
void layer_norm(const float *input, const float *weight, const float *bias, float *output, int N,
                int D, float eps = 1e-5f)
{
    ln<<<N, 256>>>(input, weight, bias, output, N, D, eps);
}
