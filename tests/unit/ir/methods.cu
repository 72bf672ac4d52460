struct Base { int b; __device__ int base() const { return b; } };
class View : public Base {
public:
    __host__ __device__ View(float *p, int w) : p_(p), w_{w} {}
    View() = default;
    __device__ float &operator()(int r, int c) { return p_[r * w_ + c]; }
    __device__ float &operator[](int i) const { return p_[i]; }
    __device__ View &operator+=(float v) { p_[0] += v; return *this; }
    __device__ float *operator->() { return p_; }
    operator bool() const { return p_ != nullptr; }
    static __device__ int twice(int x) { return 2 * x; }
    __device__ int outside(int x);
    template <typename T> __device__ T as(int i) { return (T)p_[i]; }
    friend __device__ bool operator==(const View &a, const View &b) { return a.p_ == b.p_; }
private:
    float *p_;
    int w_ = 1;
};
__device__ int View::outside(int x) { return w_ + twice(x) + base() + b; }
__device__ float2 operator*(float2 a, float s) { return make_float2(a.x * s, a.y * s); }
struct Op { __device__ float operator()(float a) const { return -a; } };
__global__ void k(View v, float *x, Op op)
{
    v(1, 2) = v[3];
    v += 2;
    bool same = v == v;
    float2 s = make_float2(1, 2) * 3.0f;
    auto t = s * 2.0f;
    x[0] = op(1) + Op()(2) + Op{}(3) + v.as<int>(4) + v.outside(5) + v.base() + View::twice(6);
    View other(x, 4);
    View made = View(x, 5);
    View *ptr = &other;
    ptr->outside(7);
    *x = 1;
}
