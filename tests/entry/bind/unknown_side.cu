// ask: op=relu
// get: launcher relu [in:x out:y dim:n] f32 ??
#include <algorithm>
__global__ void k(float *x, int n) { x[0] = 1; }
void forward(const float *x, float *y, int n);
void relu(const float *x, float *y, int n)
{
    float *d;
    k<<<1, 1>>>(d, n);
    forward(x, y, n);
}
