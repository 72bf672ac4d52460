// ask: op=relu
// get: launcher relu_inplace [inout:x dim:n] f32 D
__global__ void relu_k(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = fmaxf(x[i], 0.f);
}
void relu_inplace(float *d_data, int size) { relu_k<<<(size + 255) / 256, 256>>>(d_data, size); }
