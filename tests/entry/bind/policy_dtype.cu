// ask: op=relu dtype=f16
// get: none no_entry: the policy's dtype is f16, but f takes f32
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
