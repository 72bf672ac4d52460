struct P { float x, y; int n[2]; };
void take(P p);
P make(int n)
{
    int a[2][3] = {{1, 2, 3}, {4}};
    P p = {1, 2, {3, 4}};
    P q = {.x = 1, .n = {5}};
    P r{};
    int s[] = {1, 2, [4] = 5};
    float t[3] = {};
    float4 v = {1, 2, 3, 4}, w{1};
    take({1, 2});
    p = {3, 4};
    p = P{5, 6};
    P *d = new P{7, 8};
    float *e = new float[n]();
    return {9, 10};
}
