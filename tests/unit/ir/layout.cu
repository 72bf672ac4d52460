struct Plain { char c; double d; short s; };
struct alignas(32) Wide { float x; };
struct __align__(16) Six { float v[3]; int t; short u; };
union Mixed { int i; float f; double d; };
struct Nested { Plain p; struct { int a, b; }; union { int i; float f; }; Six s[2]; int *q; };
struct Bits { unsigned a : 3; int b; };
struct Virtual { virtual int f(); int x; };
struct Derived : Plain { int y; };
typedef struct { float re, im; } cplx;
typedef struct tag { int a; } named, *pointer;
struct Forward;
struct Holder { Forward *f; };
struct Forward { int n; };
template <typename T, int N> struct alignas(8) Pack { T v[N]; };
struct Empty {};
enum E { A, B = 4, C, D = B << 1 };
enum class F : unsigned char { X = 2, Y };
struct WithEnum { enum { Q = 7, R }; E e; F f; };
int use(Nested n, pointer p, Holder h)
{
    return n.a + n.f + n.s[1].t + p->a + h.f->n + sizeof(Pack<short, 3>) + sizeof(Nested) + A + C + D + (int)F::Y +
           WithEnum::R + sizeof(F) + n.p.s + offsetof(Nested, q);
}
