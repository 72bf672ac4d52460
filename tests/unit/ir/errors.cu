__global__ void k(float *x, int n)
{
    int i = threadIdx.x;
    x[i] = ;
    if (i < n) { x[0] = 1; x[1] = = 2; x[2] = 3; }
    int j = 3 @ n;
    x[j] = x[i] + 1;
    auto [p, q] = make(x);
    x[p] = q;
}
__global__ void fine(float *x) { x[0] = 1; }
