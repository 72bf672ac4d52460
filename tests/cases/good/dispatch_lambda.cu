#include <cuda_runtime.h>
#include <stdexcept>

template <int BLOCK>
__global__ void negate_kernel(const long long* in, long long* out, int n)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = -in[n - 1 - i];
}

struct Small { static constexpr int value = 64; };
struct Large { static constexpr int value = 512; };

// 1 <= n <= 2^28
void negate_reversed(const long long* in, long long* out, int n, cudaStream_t stream)
{
    auto go = [&](auto tag) {
        constexpr int kBlock = decltype(tag)::value;
        negate_kernel<kBlock><<<(n + kBlock - 1) / kBlock, kBlock, 0, stream>>>(in, out, n);
    };
    if (n < 4096) go(Small{}); else go(Large{});
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("negate_reversed: launch failed");
}
