__device__ float r(float v) { return v; }
__device__ int r(int v) { return v; }
__device__ float r(float v, int w = 32) { return v; }
__device__ float2 r(float2 v) { return v; }
__device__ float *r(float *v) { return v; }
template <typename T> __device__ T r(const T *v, int n, T init) { return init; }
__host__ int side() { return 1; }
__device__ long side() { return 2; }
void only_declared(int);
void later(double x);
__device__ void f(float *p, const int *q, float2 v, char c)
{
    auto a = r(2); auto b = r(v); auto d = r(p); auto e = r(q, 3, 4); auto g = r(c); auto h = side(); auto i = r(1.0f, 2);
    only_declared(3); later(1); later(1, 2);
}
void host() { auto s = side(); }
void later(double x) {}
