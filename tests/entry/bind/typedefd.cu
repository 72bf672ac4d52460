// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 DD
typedef float real;
using idx = unsigned int;
#define DTYPE real
__global__ void k(const DTYPE *x, DTYPE *y, idx n) { y[0] = x[0]; }
void relu(const real *x, DTYPE *y, idx n) { k<<<1, 1>>>(x, y, n); }
