// ask: op=softmax grid=rows block=128
// get: kernel k [in:x out:y dim:cols] f32 DD free:0 <<<(rows, 1, 1), (128, 1, 1), 0>>>
__global__ void k(const float *x, float *y, int cols) { y[blockIdx.x] = x[threadIdx.x]; }
