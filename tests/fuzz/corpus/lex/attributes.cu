struct __align__(16) S { float x; };
API float4 f();
template <class T> HD T g(T a);
void CALL h(int);
extern __shared__ __align__(16) char s[];
CHECK(a)
CHECK(b)
int c;
void l() { auto q = [=] __device__ (int i) { return i; }; FOO(const float *, x, int &) } printf("a" PRIu64 "b" STR(x)); new const float *[n];
extern template void t<int>(int);
template class T<float>;
__launch_bounds__(((((((
_Pragma("unroll") for (;;) {}
__attribute__((x)) API(1) int z; T *QUAL p; class API C : D {}; LOCALS
const int y = 1;
CHECK(end)
