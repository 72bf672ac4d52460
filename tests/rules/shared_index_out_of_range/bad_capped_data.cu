#define BINS 100

__global__ void count(const int *age, int n, int *out)
{
    __shared__ int bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[min(max(age[i], 0), BINS)], 1); // expect: shared_index_out_of_range reject
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&out[b], bins[b]);
}

void run(const int *age, int n, int *out)
{
    count<<<(n + 127) / 128, 128>>>(age, n, out);
}
