// ask: op=silu
// get: launcher ops::silu [in:x out:y dim:n stream] f32 DD
namespace ops
{
namespace detail
{
__global__ void silu_k(const float *x, float *y, int64_t n) { y[0] = x[0]; }
} // namespace detail
void silu(const float *x, float *y, int64_t n, cudaStream_t s = 0)
{
    detail::silu_k<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
} // namespace ops
