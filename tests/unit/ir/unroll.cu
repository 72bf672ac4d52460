__device__ void f(float *x)
{
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = 0;
#pragma unroll 8
    for (int i = 0; i < 4; i++)
#pragma unroll 1
        while (x[i] > 0) x[i]--;
#pragma unroll(2)
    do { x[0]++; } while (x[0] < 3);
    _Pragma("unroll 16") for (int i = 0; i < 4; i++) x[i] = 1;
#pragma nounroll
    for (int i = 0; i < 4; i++) x[i] = 2;
#pragma unroll
    x[0] = 1;
    for (int i = 0; i < 4; i++) x[i] = 3;
}
