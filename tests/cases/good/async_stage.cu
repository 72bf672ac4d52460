#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int kB = 128;

__global__ void pairwise_force(const float4* __restrict__ body, float* __restrict__ pot, int n)
{
    __shared__ float4 tile[kB];
    const int i = blockIdx.x * kB + threadIdx.x;
    const float4 me = body[i];
    float p = 0.0f;
    for (int base = 0; base < n; base += kB) {
        __pipeline_memcpy_async(&tile[threadIdx.x], &body[base + threadIdx.x], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < kB; ++k) {
            const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            p += tile[k].w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
        }
        __syncthreads();
    }
    pot[i] = p;
}

// n is a multiple of 128, 128 <= n <= 2^20
void potentials(const float4* body, float* pot, int n, cudaStream_t s)
{
    pairwise_force<<<n / kB, kB, 0, s>>>(body, pot, n);
}
