// Templates, inlining several levels deep, loops that unroll, local arrays, structures by value and returned.
template <typename T> struct Vec {
    T v[4];
    __device__ T &operator[](int i) { return v[i]; }
    __device__ Vec operator+(Vec o) const
    {
        Vec r;
        for (int i = 0; i < 4; i++)
            r.v[i] = v[i] + o.v[i];
        return r;
    }
};
template <typename T> __device__ __noinline__ Vec<T> rotate(Vec<T> x, int by)
{
    Vec<T> r;
    for (int i = 0; i < 4; i++)
        r[(i + by) & 3] = x[i];
    return r;
}
template <typename T, int N> __device__ __forceinline__ T sum(const T *p)
{
    T s = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        s += p[i];
    return s;
}
template <typename T, int N> __global__ void fold(T *o, const T *in, Vec<T> a, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + blockIdx.y * gridDim.x;
    Vec<T> r = rotate(a + a, by);
    o[i] = sum<T, N>(in + i * N) + r[by & 3];
}
template __global__ void fold<float, 8>(float *, const float *, Vec<float>, int);
template __global__ void fold<double, 3>(double *, const double *, Vec<double>, int);
template __global__ void fold<unsigned char, 5>(unsigned char *, const unsigned char *, Vec<unsigned char>, int);
template __global__ void fold<long long, 2>(long long *, const long long *, Vec<long long>, int);
