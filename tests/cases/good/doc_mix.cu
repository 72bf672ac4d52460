#include <cuda_runtime.h>

extern "C" __global__ void doc_mix_kernel(const float *w, const float *topics, float *out, int k, int words)
{
    extern __shared__ float row[];
    const int doc = blockIdx.x;
    int j = threadIdx.x;

    while (j < k) {
        row[j] = w[(size_t)doc * k + j];
        j += blockDim.x;
    }
    __syncthreads();

    int v = threadIdx.x;
    while (v < words) {
        float s = 0.0f;
        for (j = 0; j < k; j++)
            s += row[j] * topics[(size_t)j * words + v];
        out[(size_t)doc * words + v] = s;
        v += blockDim.x;
    }
}

/* docs >= 1, 1 <= k <= 8192, 1 <= words <= 2^24 */
void doc_mix(const float *w, const float *topics, float *out, int docs, int k, int words, cudaStream_t s)
{
    const size_t smem = k * sizeof *w;
    doc_mix_kernel<<<docs, 256, smem, s>>>(w, topics, out, k, words);
}
