// ask: op=mul
// get: launcher mul [out:out in:a in:b dim:n] f32 DDD
__global__ void k(const float *x, const float *y, float *z, int n) { z[0] = x[0] * y[0]; }
void mul(float *y, const float *a, const float *b, int n) { k<<<1, 1>>>(a, b, y, n); }
