// ask: op=relu
// get: none no_entry: several functions may be the entry: relu_v1 (line 4), relu_v2 (line 5); name one with --entry or as "entry" in cmpd.json
__global__ void k1(const float *x, float *y, int n) { y[0] = x[0]; }
void relu_v1(const float *x, float *y, int n) { k1<<<1, 1>>>(x, y, n); }
void relu_v2(const float *x, float *y, int n) { k1<<<1, 2>>>(x, y, n); }
