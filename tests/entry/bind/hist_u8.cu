// ask: op=histogram
// get: launcher histogram256 [in:x out:counts dim:n] u8 DD fixed:1=256
__global__ void h(const unsigned char *data, unsigned int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1u);
}
void histogram256(const unsigned char *data, unsigned int *hist, int n)
{
    h<<<(n + 255) / 256, 256>>>(data, hist, n);
}
