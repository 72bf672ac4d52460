// ask: op=rmsnorm
// get: launcher rms_norm [out:y in:x in:gamma dim:rows dim:cols scalar:eps] f32 DDD
template <typename T> __global__ void rms(T *out, const T *in, const T *w, int hidden, float eps)
{
    int r = blockIdx.x;
    out[r * hidden] = in[r * hidden] * w[0];
}
void rms_norm(float *out, const float *input, const float *weight, int num_tokens, int hidden_size,
              float epsilon)
{
    rms<float><<<num_tokens, 256>>>(out, input, weight, hidden_size, epsilon);
}
