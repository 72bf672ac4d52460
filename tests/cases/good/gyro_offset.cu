#include <cuda_runtime.h>

struct Axes {
    float* x;
    float* y;
    float* z;
};

// Sums the three axes of n gyroscope samples.
__global__ void gyro_sum(const float3* samples, int n, Axes total)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const float3 s = samples[i];
        atomicAdd(total.x, s.x);
        atomicAdd(total.y, s.y);
        atomicAdd(total.z, s.z);
    }
}

// 0 <= n <= 2^30
void gyro_total(const float3* samples, int n, Axes total)
{
    gyro_sum<<<64, 128>>>(samples, n, total);
}
