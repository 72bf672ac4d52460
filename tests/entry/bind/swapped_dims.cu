// ask: op=transpose
// get: launcher transpose [out:y in:x dim:cols dim:rows] f32 DD
__global__ void tr(const float *in, float *out, int width, int height) { out[0] = in[0]; }
void transpose(float *out, const float *in, int width, int height)
{
    tr<<<1, 1>>>(in, out, width, height);
}
