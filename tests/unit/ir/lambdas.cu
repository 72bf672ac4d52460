template <typename F> __global__ void each(float *x, int n, F f) { int i = threadIdx.x; if (i < n) x[i] = f(x[i], i); }
void host(float *x, int n, float k)
{
    auto copy = [=] __device__ (float v, int i) { return v * k; };
    auto both = [k] __host__ __device__ (float v, int) -> double { return v + k; };
    auto ref = [&n](int by) { n += by; };
    auto init = [m = n * 2]() { return m; };
    ref(3);
    float r = copy(1.0f, 2) + init();
    each<<<1, n>>>(x, n, copy);
    each<<<1, 32>>>(x, n, [=] __device__ (float v, int i) { return v - i; });
    [&] { n = 0; }();
}
