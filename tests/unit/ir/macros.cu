#define IDX(r, c) ((r) * 16 + (c))
#define GUARD(i, n) if ((i) >= (n)) return
#define BLOCK 256
#define LOOP(i, n) for (int i = threadIdx.x; i < (n); i += BLOCK)
__launch_bounds__(BLOCK, 2) __global__ void k(float *x, int n)
{
    GUARD(threadIdx.x, n);
    LOOP(j, n) x[IDX(j, 1)] = BLOCK;
}
template <int N> __global__ void __launch_bounds__(N * 32) u(float *x) {}
