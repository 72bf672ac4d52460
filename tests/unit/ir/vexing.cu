struct Grid { Grid(int a, int b); };
const int W = 32;
int ceil_div(int a, int b);
void launch(int n, int m, int *len)
{
    dim3 a(n, m);
    dim3 b((n + 255) / 256);
    dim3 c(16, 16);
    dim3 d(W);
    dim3 e(ceil_div(n, W), m);
    dim3 g(n * m, n & m);
    dim3 h(len[0], len[1]);
    dim3 i{1, 2};
    dim3 j = {1, 2, 3};
    dim3 k = dim3(n);
    dim3 o;
    dim3 p(int(n), unsigned(m));
    dim3 q(BLOCK, SIZES::x);
    Grid r(n, m);
    int s(3), t{4}, u = 5;
    std::vector<float> v(n);
    std::vector<float> w(n, 1.0f);
    float declared(float, int);
    float x(1.0f);
    cub::BlockReduce<float, 256> y(storage);
}
