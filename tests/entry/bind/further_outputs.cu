// ask: op=layernorm
// get: launcher layernorm_forward [out:y workspace:mean workspace:rstd in:x in:gamma in:beta dim:rows dim:1 dim:cols] f32 DDDDDD
__global__ void ln(float *out, float *mean, float *rstd, const float *inp, const float *weight,
                   const float *bias, int C)
{
    out[0] = inp[0] * weight[0] + bias[0];
    mean[0] = 0;
    rstd[0] = 1;
}
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight,
                       const float *bias, int B, int T, int C)
{
    ln<<<B * T, 256>>>(out, mean, rstd, inp, weight, bias, C);
}
