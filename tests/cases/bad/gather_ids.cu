#include <cuda_runtime.h>
#include <vector>

__global__ void gather_even(const int* in, int* out, int* count, int groups)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    std::vector<int> even;
    for (int k = 0; k < 8; ++k)
        if (in[8 * g + k] % 2 == 0) even.push_back(in[8 * g + k]);
    for (size_t k = 0; k < even.size(); ++k) out[8 * g + k] = even[k];
    count[g] = (int)even.size();
}

// 1 <= groups <= 2^27
void gather(const int* in, int* out, int* count, int groups, cudaStream_t stream)
{
    gather_even<<<(groups + 255) / 256, 256, 0, stream>>>(in, out, count, groups);
}
