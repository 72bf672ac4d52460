#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>

namespace cg = cooperative_groups;

__global__ void mixed(const __half2 *in, __nv_bfloat16 *out, unsigned *mask, unsigned long long seed, int n)
{
    __shared__ __half2 tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(__half2));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    const unsigned active = __ballot_sync(0xffffffffu, i < n);
    const unsigned same = __match_any_sync(__activemask(), i & 3);
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (i < n) {
        const float2 f = __half22float2(__hmul2(tile[threadIdx.x], __float2half2_rn(0.5f)));
        const float s = f.x + f.y + curand_uniform(&state) * __fdividef(1.0f, 3.0f) + rsqrtf(2.0f);
        out[i] = __float2bfloat16(s + __nv_cvt_float_to_fp8(s, __NV_SATFINITE, __NV_E4M3));
        atomicOr(mask, active ^ same ^ __popc(__brev(__clz(i))));
    }
    if (warp.thread_rank() == 0) {
        atomicAdd(mask + 1, static_cast<unsigned>(__shfl_xor_sync(0xffffffffu, i, 0)));
    }
}

void run(const __half2 *in, __nv_bfloat16 *out, unsigned *mask, int n, cudaStream_t stream)
{
    int size = 0;
    int blocks = 0;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &size, mixed, 0, 256);
    cudaFuncSetAttribute(mixed, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
    mixed<<<(n + 255) / 256, 256, 0, stream>>>(in, out, mask, 7ull, n);
    cudaStreamSynchronize(stream);
}
