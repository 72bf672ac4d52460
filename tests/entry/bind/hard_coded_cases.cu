// ask: op=matmul cases
// get: launcher launch [in:a in:b out:c] f32 DDD free:0 free:1 free:2
#define N 256
__global__ void mm(const float *A, const float *B, float *C) { C[0] = A[0] * B[N]; }
void launch(const float *A, const float *B, float *C) { mm<<<1, 1>>>(A, B, C); }
