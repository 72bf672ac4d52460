// ask: op=relu args=in:x,dim:n,out:y
// get: none no_entry: "dim:n" for parameter 'y' of f: the parameter is a pointer
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
