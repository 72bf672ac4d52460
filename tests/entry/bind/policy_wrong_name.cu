// ask: op=relu args=in:x,out:y,dim:foo
// get: none no_entry: "dim:foo" for parameter 'n' of f: the operator has no such dimension
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
