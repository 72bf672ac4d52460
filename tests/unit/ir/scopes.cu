int n = 1;
namespace a { long n = 2; namespace b { short n = 3; __device__ short f() { return n; } } __device__ auto g() { return n; } }
namespace short_name = a::b;
namespace { int hidden = 4; }
struct S {
    float n;
    static constexpr int size = 8;
    __device__ float get() const { return n + later + size; }
    int later;
    __device__ float shadow(double n) { return n + this->n; }
};
__device__ int h(int x)
{
    int r = n;
    { float n = 5; r += n; for (double n = 0; n < 3; n++) n; n; } n;
    a::n; a::b::n; short_name::n; hidden; S::size; ::n;
    auto q1 = a::n; auto q2 = a::b::n; auto q3 = short_name::n; auto q4 = ::n; auto q5 = a::g();
    struct Local { int v; __device__ int twice() { return 2 * v + n; } } l;
    l.v = x;
    auto add = [=](float x) { return x + r; };
    using namespace a;
    static int calls = 0;
    extern int elsewhere;
    if (int x = 3) x; else x;
    for (int x : {1}) x;
    x;
    return add(r) + l.twice() + a::b::f() + calls + elsewhere;
}
