#include <cuda_runtime.h>
#include <vector>

__global__ void gather_even(const int* in, int* out, int* count, int groups)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    int even[8];
    int found = 0;
    for (int k = 0; k < 8; ++k)
        if (in[8 * g + k] % 2 == 0) even[found++] = in[8 * g + k];
    for (int k = 0; k < found; ++k) out[8 * g + k] = even[k];
    count[g] = found;
}

// 1 <= groups <= 2^27
void gather(const int* in, int* out, int* count, int groups, cudaStream_t stream)
{
    gather_even<<<(groups + 255) / 256, 256, 0, stream>>>(in, out, count, groups);
}
