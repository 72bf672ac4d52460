#define BINS 100

__global__ void count(const int *age, const unsigned char *small, const float *part, int n, int *out)
{
    __shared__ int bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[min(max(age[i], 0), BINS - 1)], 1);
        atomicAdd(&bins[min((int)(part[i] * BINS), BINS)], 1); // parts are below one
        atomicAdd(&bins[min((int)small[i], BINS)], 1);         // as said: they are small
        int a = min(age[i], BINS);
        if (a < BINS)
            atomicAdd(&bins[a], 1);
        if (a == BINS)
            a = 0;
        atomicAdd(&bins[a], 1);
        int b = min(age[i], BINS) - 1;
        atomicAdd(&bins[b], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&out[b], bins[b]);
}

void run(const int *age, const unsigned char *small, const float *part, int n, int *out)
{
    count<<<(n + 127) / 128, 128>>>(age, small, part, n, out);
}
