#include <cuda_runtime.h>
#include <vector>

void there_and_back(std::vector<float> &v)
{
    const size_t bytes = v.size() * sizeof(float);
    float *a = nullptr, *b = nullptr;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, v.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(v.data(), b, bytes, cudaMemcpyDefault);
    cudaFree(a);
    cudaFree(b);
}
