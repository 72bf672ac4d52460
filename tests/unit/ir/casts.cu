typedef float4 quad;
using real = float;
template <typename T> void f(T *p, void *v, int i, float x)
{
    (void)i; (real)i; (real)-i; (real)(i); (quad *)v; (T)x; (T)*p; T(x); real(i);
    static_cast<T>(i); reinterpret_cast<quad *>(v)[i].y = 1; const_cast<float *>(&x); reinterpret_cast<int &>(x) = 3;
    (unsigned int)x; (unsigned)x; (const char *)v; (i)-x; (i) * x; sizeof(quad); sizeof(real) * 2; sizeof i; sizeof(T);
    alignof(quad); sizeof(real[3]); float4 z = float4{x, x}; new quad[i]; new (v) quad; delete p;
}
