#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct CudaFree {
    void operator()(void* p) const { cudaFree(p); }
};
template <typename T>
using DevicePtr = std::unique_ptr<T, CudaFree>;

template <typename T>
DevicePtr<T> make_device(const std::vector<T>& v)
{
    T* p = nullptr;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return DevicePtr<T>(p);
}

__global__ void vec_mad(const float* a, const float* b, float* c, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i] + c[i];
}

int main()
{
    const int n = 50000;
    std::vector<float> a(n, 1.5f), b(n, 2.0f), c(n, 0.25f);
    auto da = make_device(a);
    auto db = make_device(b);
    auto dc = make_device(c);
    const int block = 256;
    vec_mad<<<(n + block - 1) / block, block>>>(da.get(), db.get(), dc.get(), n);
    cudaMemcpy(c.data(), dc.get(), c.size() * sizeof(c[0]), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float v : c) wrong += std::fabs(v - 3.25f) > 1e-6f;
    std::printf(wrong ? "FAIL\n" : "PASS\n");
    return wrong != 0;
}
