// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 DD
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
void relu(const float *x, float *y, const int &n) { k<<<1, 1>>>(x, y, n); }
