#include <cuda_runtime.h>

// out[b] += alpha * in[b] for vectors of different lengths
__global__ void batched_axpy(float** out, const float* const* in, const int* len, float alpha)
{
    float* o = out[blockIdx.x];
    const float* x = in[blockIdx.x];
    const int n = len[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) o[i] = fmaf(alpha, x[i], o[i]);
}

// batches >= 1
void axpy_batched(float** out, const float* const* in, const int* len, float alpha, int batches, cudaStream_t s)
{
    batched_axpy<<<batches, 128, 0, s>>>(out, in, len, alpha);
}
