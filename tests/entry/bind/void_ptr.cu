// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 DD
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void relu(const void *x, void *y, int n) { k<<<1, 1>>>((const float *)x, (float *)y, n); }
