// ask: op=transpose
// get: launcher transpose [in:x out:y dim:cols dim:rows] f32 DD
__global__ void tr(const float *in, float *out, int w, int h) { out[0] = in[0]; }
static void transpose(const float *in, float *out, int width, int height)
{
    tr<<<1, 1>>>(in, out, width, height);
}
