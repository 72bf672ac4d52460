#include <cuda_runtime.h>

__global__ void sample(cudaTextureObject_t source, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * tex1Dfetch<float>(source, i);
}

// 1 <= n <= 2^27
void sample_all(float* in, float* out, int n, cudaStream_t stream)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = in;
    res.res.linear.desc = cudaCreateChannelDesc<float>();
    res.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc desc = {};
    cudaTextureObject_t tex = 0;
    cudaCreateTextureObject(&tex, &res, &desc, nullptr);
    sample<<<(n + 255) / 256, 256, 0, stream>>>(tex, out, n);
    cudaStreamSynchronize(stream);
    cudaDestroyTextureObject(tex);
}
