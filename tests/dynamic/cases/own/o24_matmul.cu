#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t pack(const __half* p0, const __half* p1) {
    __half2 h = __halves2half2(*p0, *p1);
    return *reinterpret_cast<uint32_t*>(&h);
}

__global__ void mma_kernel(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
    __shared__ __half sa[16][16 + 8];
    __shared__ __half sb[8][16 + 8];
    const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
    const int m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = lane; i < 256; i += 32) {
            int r = i >> 4, c = i & 15;
            sa[r][c] = (m0 + r < M && k0 + c < K) ? A[(size_t)(m0 + r) * K + k0 + c] : __ushort_as_half(0);
        }
        for (int i = lane; i < 128; i += 32) {
            int k = i >> 3, n = i & 7;
            sb[n][k] = (k0 + k < K && n0 + n < N) ? B[(size_t)(k0 + k) * N + n0 + n] : __ushort_as_half(0);
        }
        __syncthreads();
        uint32_t a0 = pack(&sa[g][t * 2], &sa[g][t * 2 + 1]);
        uint32_t a1 = pack(&sa[g + 8][t * 2], &sa[g + 8][t * 2 + 1]);
        uint32_t a2 = pack(&sa[g][t * 2 + 8], &sa[g][t * 2 + 9]);
        uint32_t a3 = pack(&sa[g + 8][t * 2 + 8], &sa[g + 8][t * 2 + 9]);
        uint32_t b0 = pack(&sb[g][t * 2], &sb[g][t * 2 + 1]);
        uint32_t b1 = pack(&sb[g][t * 2 + 8], &sb[g][t * 2 + 9]);
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        int r = m0 + g + (i >= 2 ? 8 : 0), c = n0 + t * 2 + (i & 1);
        if (r < M && c < N) C[(size_t)r * N + c] = __float2half(d[i]);
    }
}

extern "C" void matmul_tensor_core(const __half* A, const __half* B, __half* C, int M, int N, int K) {
    mma_kernel<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
