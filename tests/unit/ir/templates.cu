template <typename T, int N = 4, typename... Rest> struct Tile { T v[N]; using type = T; static constexpr int count = N; };
template <typename T> struct Tile<T *, 1> { T *only; };
template <> struct Tile<char, 2> { char a, b; static constexpr int count = 99; };
template <typename T> using Row = Tile<T, 8>;
template <typename T> __device__ T sum(const T *x, int n) { T s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
template <> __device__ int sum<int>(const int *x, int n) { return x[0]; }
template <typename T, int N> __device__ T first(T (&a)[N]) { return a[0] + T(N); }
template <int K> __device__ int value() { return K; }
template <typename A, typename B = double> __device__ B cast(A a) { return (B)a; }
template <class T, int BS> __global__ void k(T *x)
{
    __shared__ T s[BS];
    typename Tile<T>::type t = x[0];
    Tile<T, BS> own;
    Row<float> row;
    float local[5];
    auto a = sum(x, BS);
    auto b = sum(&local[0], 5);
    auto c = first(local);
    auto d = value<BS * 2>();
    auto e = cast(1);
    auto f = cast<int, float>(1);
    int g = Tile<int>::count + Tile<char, 2>::count + sizeof(Tile<double, 3>) + sizeof(row) + sizeof(row.v[0]);
    auto h = own.v[0];
    s[0] = t;
    x.template call<3>(1);
}
template __global__ void k<float, 32>(float *);
template <> __global__ void k<int, 16>(int *x) {}
void go(float *f) { k<float, 64><<<1, 64>>>(f); Tile<float *, 1> part; Tile<float, 2> whole; }
