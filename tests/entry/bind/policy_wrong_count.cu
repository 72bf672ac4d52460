// ask: op=relu args=in:x,out:y
// get: none no_entry: "args" names 2 roles, but f has 3 parameters
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
