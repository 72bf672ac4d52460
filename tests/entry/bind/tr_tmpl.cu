// ask: op=transpose
// get: launcher transpose<float> [in:x out:y dim:rows dim:cols] f32 DD
template <typename T, int TILE = 32> __global__ void tr(const T *in, T *out, int rows, int cols)
{
    out[0] = in[0];
}
template <typename T> void transpose(const T *in, T *out, int rows, int cols)
{
    tr<T><<<1, 32>>>(in, out, rows, cols);
}
