#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

__global__ void deviations(const float* x, float mean, float* d2, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float d = x[i] - mean;
        d2[i] = d * d;
    }
}

// Variance of n device floats; tmp has room for n floats; 1 <= n <= 2^28
float variance(const float* x, float* tmp, int n)
{
    thrust::device_ptr<const float> xs(x);
    const float mean = thrust::reduce(thrust::device, xs, xs + n, 0.0f) / n;
    deviations<<<(n + 255) / 256, 256>>>(x, mean, tmp, n);
    thrust::device_ptr<const float> ds(tmp);
    return thrust::reduce(thrust::device, ds, ds + n, 0.0f) / n;
}
