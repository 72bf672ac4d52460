// ask: op=argmax
// get: launcher argmax [in:x out:out dim:n] f32 DD
__global__ void k(const float *x, int *o, int n) { o[0] = x[0] > 0; }
void argmax(const float *x, int *out_idx, int n) { k<<<1, 1>>>(x, out_idx, n); }
