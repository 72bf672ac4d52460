// ask: op=relu
// get: kernel k [in:x out:y dim:n] f32 DD <<<(ceil_div(n, threads[256]), 1, 1), (threads[256], 1, 1), 0>>>
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
int main()
{
    int n = 1000;
    float *x = 0, *y = 0;
    int threads = 256;
    int blocks = (int)ceil((float)n / threads);
    k<<<blocks, threads>>>(x, y, n);
}
