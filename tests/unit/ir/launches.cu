__global__ void plain(float *x, int n);
namespace ns { template <typename T, int N> __global__ void tiled(T *x, int n) {} }
__global__ void twice(int *x) {}
__global__ void twice(float *x) {}
void go(float *x, int *y, int n, cudaStream_t st, void (*given)(float *, int))
{
    plain<<<1, 256>>>(x, n);
    plain<<<dim3(n, 2), dim3(16, 16), 0, st>>>(x, n);
    plain<<<n, 256, n * sizeof(float)>>>(x, n);
    ns::tiled<float, 4><<<(n + 3) / 4, 4>>>(x, n);
    twice<<<1, 1>>>(x);
    twice<<<1, 1>>>(y);
    auto kept = ns::tiled<float, 8>;
    kept<<<1, 2>>>(x, n);
    void (*changed)(float *, int) = plain;
    changed<<<1, 2>>>(x, n);
    changed = nullptr;
    given<<<1, 2>>>(x, n);
    foreign<int><<<1, 2>>>(x);
    (plain)<<<1, 3>>>(x, n);
}
