__global__ void k(float *a, int x, int y, int w, int h, int z)
{
    if (x < w && y > (h)) a[0] = 1;
    if (x < 3 && y > (h) || z) a[1] = 1;
    if (threadIdx.x < w && y > (h) * 2) a[2] = 1;
    if (!x < w && y > (h) + 1 && z) a[3] = 1;
    if (x < (w) && y > -(h)) a[4] = 1;
    for (int i = 0; i < w && z > (0); i++) a[i] = 2;
    a[5] = x < w && y > (h) ? 1 : 2;
    bool b = x < w || y > (h);
    x < y > (z);
}
