#include <cuda_runtime.h>

// words[w]: bit k is set where value 32 * w + k is positive
__global__ void sign_bits(const int* v, unsigned* words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned bits = __ballot(v[i] > 0);
    if ((threadIdx.x & 31) == 0) words[i / 32] = bits;
}

// n is a multiple of 128, 128 <= n <= 2^30
void signs(const int* v, unsigned* words, int n)
{
    sign_bits<<<n / 128, 128>>>(v, words);
}
