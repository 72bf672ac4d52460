// ask: op=relu
// get: none no_entry: the file has no host function that launches a kernel and no __global__ function that could be called
__device__ float f(float x) { return x; }
