// ask: op=relu entry=k
// get: kernel k<float, 256> [in:x out:y dim:n] f32 DD <<<(((n + 255) / 256), 1, 1), (256, 1, 1), 0>>>
template <typename T, int B> __global__ void k(const T *x, T *y, int n) { y[0] = x[0]; }
template <typename T> void f(const T *x, T *y, int n)
{
    k<T, 256><<<(n + 255) / 256, 256>>>(x, y, n);
}
void g(const float *x, float *y, int n) { f<float>(x, y, n); }
