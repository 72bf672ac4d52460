#include <cuda_runtime.h>
#include <vector>

__global__ void scale_scores(float* s, float f, int n)
{
    const int tid = threadIdx.x;
    const int gid = blockIdx.x * 256 + tid;
    const bool active = gid < n;
    if (active) s[gid] = s[gid] * f;
}

// Host data in and out; at most 2^28 scores.
bool scale_scores_host(std::vector<float>& scores, float f)
{
    const int n = (int)scores.size();
    if (n == 0) return true;
    const size_t bytes = scores.size() * sizeof(float);
    float* dev = nullptr;
    if (cudaMalloc(&dev, bytes) != cudaSuccess) return false;
    bool ok = cudaMemcpy(dev, scores.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    scale_scores<<<(n + 255) / 256, 256>>>(dev, f, n);
    ok = ok && cudaGetLastError() == cudaSuccess;
    ok = ok && cudaMemcpy(scores.data(), dev, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(dev);
    return ok;
}
