#include <cuda_runtime.h>

extern "C" __global__ void topic_mix_kernel(const float *w, const float *topics, float *out, int k, int words)
{
    extern __shared__ float row[];
    const int doc = blockIdx.x;

    for (int j = threadIdx.x; j < k; j += blockDim.x)
        row[j] = w[(size_t)doc * k + j];
    __syncthreads();

    for (int v = threadIdx.x; v < words; v += blockDim.x) {
        float s = 0.0f;
        for (int j = 0; j < k; j++)
            s += row[j] * topics[(size_t)j * words + v];
        out[(size_t)doc * words + v] = s;
    }
}

/* docs >= 1, 1 <= k <= 8192, words >= 1 */
void topic_mix(const float *w, const float *topics, float *out, int docs, int k, int words, cudaStream_t s)
{
    topic_mix_kernel<<<docs, 256, k, s>>>(w, topics, out, k, words);
}
