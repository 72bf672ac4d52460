// ask: op=axpy args=dim:n,scalar:alpha=2.5,in:x,inout:y
// get: launcher f [dim:n scalar:alpha=2.5 in:x inout:y] f32 DD
__global__ void k(int m, float s, const float *p, float *q) { q[0] += s * p[0]; }
void f(int m, float s, const float *p, float *q) { k<<<1, 1>>>(m, s, p, q); }
