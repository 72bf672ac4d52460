void f(int i, unsigned u, long l, short s, unsigned char c, float x, double d, __half h, size_t z, float *p, bool b)
{
    auto a1 = i + u; auto a2 = i + l; auto a3 = u + l; auto a4 = s + s; auto a5 = c << 3; auto a6 = ~c; auto a7 = -s;
    auto a8 = i * x; auto a9 = x * d; auto b1 = h + h; auto b2 = i / z; auto b3 = p + i; auto b4 = p - p;
    auto b5 = i < u; auto b6 = !i; auto b7 = b ? i : x; auto b8 = b ? p : nullptr; auto b9 = (i, x); auto c1 = &p;
    auto c2 = *p; auto c3 = p[i]; auto c4 = i[p]; auto c5 = b + b; auto c6 = i & u; auto c7 = u >> l; auto c8 = (char)i;
    auto c9 = static_cast<unsigned short>(i); auto d1 = int(x); auto d2 = unsigned(i); auto d3 = (unsigned long long)i;
    auto d4 = sizeof(float) * i; const auto d5 = x; auto d6 = d5; auto &d7 = i; auto *d8 = p; auto &&d9 = x;
    int64_t e1 = i; std::uint32_t e2 = 3; unsigned long long int e3 = 1; long double e4 = 2; unsigned const e5 = 1;
}
