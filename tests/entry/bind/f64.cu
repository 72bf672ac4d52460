// ask: op=sigmoid
// get: launcher sigmoid [in:x out:y dim:n] f64 DD
__global__ void k(const double *x, double *y, int n) { y[0] = x[0]; }
void sigmoid(const double *x, double *y, int n) { k<<<1, 1>>>(x, y, n); }
