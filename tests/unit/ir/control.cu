__device__ void f(int *x, int n)
{
    for (int i = 0, j = n; i < j; ++i, j--) x[i] = j;
    for (;;) { break; }
    while (n) { if (n == 3) continue; n--; }
    while (int y = x[n]) x[0] = y;
    do { n++; } while (n < 10);
    if (int y = x[1]) x[2] = y; else if (n > 2) x[3] = n; else x[4] = 0;
    if (int z = n; z > 3) x[z] = 1;
    if constexpr (sizeof(int) == 4) x[5] = 1;
    switch (n) { case 1: x[0] = 1; case 2: { x[1] = 2; break; } case 'c': case 3 + 1: x[2]++; break; default: x[3] = 3; }
    switch (int w = n + 1; w) { case 0: break; }
    goto out;
    for (auto v : {1, 2}) n += v;
    int arr[3];
    for (int &r : arr) r = n;
out:
    ;
    try { f(x, 1); } catch (...) { n = 0; }
    [[likely]] x[0] = 1;
    throw n;
}
