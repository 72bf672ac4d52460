#include <cuda_runtime.h>

__global__ void naive_dft(const float* x, float2* bin, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k > n / 2) return;
    float re = 0.f, im = 0.f;
    for (int t = 0; t < n; ++t) {
        float s, c;
        sincospif(-2.0f * ((long long)k * t % n) / n, &s, &c);
        re += x[t] * c;
        im += x[t] * s;
    }
    bin[k] = make_float2(re, im);
}

// samples: n floats on the device; out: room for n float2 on the host; 4 <= n <= 65536
cudaError_t spectrum(const float* samples, float2* out, int n)
{
    const int bins = n / 2 + 1;
    float2* tmp = nullptr;
    cudaError_t err = cudaMalloc(&tmp, bins * sizeof(float2));
    if (err != cudaSuccess) return err;
    naive_dft<<<(bins + 63) / 64, 64>>>(samples, tmp, n);
    err = cudaMemcpy(out, tmp, n * sizeof(float2), cudaMemcpyDeviceToHost);
    cudaFree(tmp);
    return err;
}
