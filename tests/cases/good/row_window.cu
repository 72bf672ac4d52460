#include <cuda_runtime.h>
#include <stdlib.h>

#define LEN 16

// Median of 16 values a thread.
__global__ void median16(const float *in, float *out, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    float w[LEN];
    for (int k = 0; k < LEN; k++) {
        float v = in[(size_t)id * LEN + k];
        int j = k;
        for (; j > 0 && w[j - 1] > v; j--)
            w[j] = w[j - 1];
        w[j] = v;
    }
    out[id] = 0.5f * (w[LEN / 2 - 1] + w[LEN / 2]);
}

/* n windows, 1 <= n <= 2^20 */
float first_median(const float *in, float *out, int n)
{
    float *host = (float *)malloc(sizeof(float)), r;
    median16<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaMemcpy(host, out, sizeof(float), cudaMemcpyDeviceToHost);
    r = *host;
    free(host);
    return r;
}
