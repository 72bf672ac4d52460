// ask: op=sigmoid
// get: none no_entry: operator sigmoid is not defined for i32, which sigmoid takes
__global__ void k(const int *x, int *y, int n) { y[0] = x[0]; }
void sigmoid(const int *x, int *y, int n) { k<<<1, 1>>>(x, y, n); }
