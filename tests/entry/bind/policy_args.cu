// ask: op=softmax entry=f args=out:y,in:x,dim:cols,dim:rows
// get: launcher f [out:y in:x dim:cols dim:rows] f32 DD
__global__ void k(float *p, const float *q, int a, int b) { p[0] = q[0]; }
void f(float *p, const float *q, int a, int b) { k<<<1, 1>>>(p, q, a, b); }
