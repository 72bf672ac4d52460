void f()
{
    auto a = 1; auto b = 2147483648; auto c = 0x80000000; auto d = 1u; auto e = 1ll; auto g = 0xffffffffffffffff;
    auto h = 1.0; auto i = 1.0f; auto j = .5e-3; auto k = 0x1p4f; auto l = 1'000'000; auto m = 0b101; auto n = 017;
    auto o = 'a'; auto p = '\n'; auto q = '\x7f'; auto r = "two"; auto s = true; auto t = nullptr; auto u = 5ul;
    auto v = -3; auto w = 10uz; const char joined[] = "a" "b";
}
