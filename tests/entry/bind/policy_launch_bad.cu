// ask: op=relu grid=(n+ block=128
// get: none no_entry: the launch of k has no value: grid '(n+': a number or a name is missing at ''
__global__ void k(const float *x, float *y, int n) { y[blockIdx.x] = x[threadIdx.x]; }
