// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 DD
__global__ void k1(const float *x, float *y, int n) { y[0] = x[0]; }
static void do_launch(const float *x, float *y, int n, int block)
{
    k1<<<(n + block - 1) / block, block>>>(x, y, n);
}
void relu(const float *x, float *y, int n) { do_launch(x, y, n, 256); }
