// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 HH
struct Buf {
    float *p;
    Buf(const float *h, int n)
    {
        cudaMalloc(&p, n * 4);
        cudaMemcpy(p, h, n * 4, cudaMemcpyHostToDevice);
    }
    ~Buf() { cudaFree(p); }
    void down(float *h, int n) { cudaMemcpy(h, p, n * 4, cudaMemcpyDeviceToHost); }
};
__global__ void k(float *x, int n) { x[0] = fmaxf(x[0], 0); }
void relu(const float *in, float *out, int n)
{
    Buf b(in, n);
    k<<<1, 1>>>(b.p, n);
    b.down(out, n);
}
