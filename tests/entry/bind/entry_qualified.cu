// ask: op=relu entry=b::f
// get: launcher b::f [in:x out:y dim:n] f32 DD
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
namespace a
{
void f(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
} // namespace a
namespace b
{
void f(const float *x, float *y, int n) { k<<<1, 2>>>(x, y, n); }
} // namespace b
