// ask: op=tanh_add
// get: launcher f [in:a in:b out:out dim:n] f32 DDD assumed: 'foo' as a, 'bar' as b by their order
__global__ void ta(const float *p, const float *q, float *r, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        r[i] = tanhf(p[i]) + q[i];
}
extern "C" void f(const float *foo, const float *bar, float *baz, int count)
{
    ta<<<(count + 255) / 256, 256>>>(foo, bar, baz, count);
}
