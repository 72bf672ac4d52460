// ask: op=relu
// get: launcher relu [in:x out:y dim:n scalar:block_size=256] f32 DD
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void relu(const float *x, float *y, int n, int block_size)
{
    k<<<(n + block_size - 1) / block_size, block_size>>>(x, y, n);
}
