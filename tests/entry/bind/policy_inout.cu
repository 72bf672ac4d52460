// ask: op=relu args=inout:y,dim:n
// get: launcher f [inout:x dim:n] f32 D
__global__ void k(float *p, int m) { p[0] = 0; }
void f(float *p, int m) { k<<<1, 1>>>(p, m); }
