// ask: op=relu args=in:x,out:y,dim:rows*cols
// get: launcher f [in:x out:y dim:rows*cols] f32 DD
__global__ void k(const float *x, float *y, int total) { y[0] = x[0]; }
void f(const float *x, float *y, int total) { k<<<1, 1>>>(x, y, total); }
