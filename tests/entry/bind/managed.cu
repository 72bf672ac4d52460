// ask: op=add
// get: launcher add [in:a in:b out:out dim:n] f32 DDD
__global__ void k(const float *x, const float *y, float *z, int n) { z[0] = x[0] + y[0]; }
void add(float *a, float *b, float *c, int n)
{
    k<<<1, 1>>>(a, b, c, n);
    cudaDeviceSynchronize();
}
