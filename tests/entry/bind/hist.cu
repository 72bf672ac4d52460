// ask: op=histogram
// get: launcher histogram [in:x out:counts dim:n dim:bins] i32 DD
__global__ void h(const int *data, int *bins, int n, int nb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1);
}
void histogram(const int *data, int *hist, int n, int num_bins)
{
    cudaMemset(hist, 0, 4 * num_bins);
    h<<<(n + 255) / 256, 256>>>(data, hist, n, num_bins);
}
