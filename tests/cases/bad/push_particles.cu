#include <cuda_runtime.h>
#include <vector>

struct Particle {
    float4 pos;
    float4 vel;
};

__global__ void drift(Particle* p, float dt, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].pos.x += dt * p[i].vel.x;
        p[i].pos.y += dt * p[i].vel.y;
        p[i].pos.z += dt * p[i].vel.z;
    }
}

// Between 1 and 10 million particles, on the host.
void advance(std::vector<Particle>& particles, float dt)
{
    Particle* dp;
    const size_t bytes = particles.size() * sizeof(Particle);
    cudaMalloc(&dp, bytes);
    cudaMemcpy(dp, particles.data(), sizeof(particles), cudaMemcpyHostToDevice);
    drift<<<(particles.size() + 255) / 256, 256>>>(dp, dt, particles.size());
    cudaMemcpy(particles.data(), dp, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dp);
}
