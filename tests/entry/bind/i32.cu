// ask: op=relu
// get: none no_entry: operator relu is not defined for i32, which relu takes
__global__ void k(const int *x, int *y, int n) { y[0] = x[0]; }
void relu(const int *x, int *y, int n) { k<<<1, 1>>>(x, y, n); }
