// ask: entry=launch_relu
// get: none entry_not_found (reject): the entry launch_relu is not in this file, which has k
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
