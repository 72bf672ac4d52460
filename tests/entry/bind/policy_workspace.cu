// ask: op=reduce_sum args=in:x,out:out,workspace:n*4,dim:n,stream
// get: launcher f [in:x out:out workspace:t dim:n stream] f32 DDD
__global__ void k(const float *x, float *o, float *t, int n) { o[0] = t[0] = x[0]; }
void f(const float *x, float *o, float *t, int n, cudaStream_t s) { k<<<1, 1, 0, s>>>(x, o, t, n); }
