// ask: op=relu
// get: launcher relu_forward [in:x out:y dim:n stream] f32 DD
__global__ void relu_k(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fmaxf(in[i], 0.f);
}
extern "C" cudaError_t relu_forward(const float *input, float *output, size_t numel,
                                    cudaStream_t stream)
{
    relu_k<<<(numel + 255) / 256, 256, 0, stream>>>(input, output, numel);
    return cudaGetLastError();
}
