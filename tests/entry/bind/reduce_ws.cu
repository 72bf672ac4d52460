// ask: op=reduce_sum
// get: launcher sum [in:x workspace:partial_sums out:out dim:n] f32 DDD
__global__ void r1(const float *x, float *p, int n) { p[blockIdx.x] = x[0]; }
__global__ void r2(const float *p, float *o, int n) { *o = p[0]; }
void sum(const float *in, float *partial_sums, float *result, int n)
{
    r1<<<64, 256>>>(in, partial_sums, n);
    r2<<<1, 64>>>(partial_sums, result, 64);
}
