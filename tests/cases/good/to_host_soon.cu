#include <cuda_runtime.h>
#include <vector>

namespace sim {

__global__ void tick(float* cells, int n, float gain)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < n) cells[c] *= gain;
}

// Runs `steps` steps on a copy of the state; at most 2^26 cells, at least one.
std::vector<float> run(const std::vector<float>& start, float gain, int steps)
{
    const int n = static_cast<int>(start.size());
    const size_t bytes = start.size() * sizeof(float);
    float* cells = nullptr;
    if (cudaMalloc(reinterpret_cast<void**>(&cells), bytes) != cudaSuccess) return {};
    cudaMemcpy(cells, start.data(), bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) tick<<<(n + 255) / 256, 256>>>(cells, n, gain);
    std::vector<float> result(start.size());
    cudaMemcpy(result.data(), cells, bytes, cudaMemcpyDeviceToHost);
    cudaFree(cells);
    return result;
}

}  // namespace sim
