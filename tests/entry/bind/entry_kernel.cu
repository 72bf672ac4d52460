// ask: op=relu entry=k
// get: kernel k [in:x out:y dim:n] f32 DD <<<(((n + 127) / 128), 1, 1), (128, 1, 1), 0>>>
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
void f(const float *x, float *y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
