// ask: op=relu entry=k
// get: kernel k [in:x out:y dim:n] f32 DD <<<((((n + kThreads[64]) - 1) / kThreads[64]), 1, 1), (kThreads[64], 1, 1), 0>>>
static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
constexpr int kThreads = 64;
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<ceil_div(n, kThreads), kThreads>>>(x, y, n); }
