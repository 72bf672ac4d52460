// ask:
// get: none no_reference: it is not known which operator this file implements, so there is nothing to compare its results with
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
