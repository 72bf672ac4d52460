// ask: op=add args=in:a,out:out,dim:n
// get: none no_entry: "args" lacks 'b' of operator add
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
