#include <cuda_runtime.h>

__device__ void* memory_pool_alloc(size_t bytes)
{
    return malloc(bytes);
}

__device__ void memory_pool_free(void* p)
{
    free(p);
}

// Reverses the 64 bytes of each record.
__global__ void reverse_records(const uint4* in, uint4* out, int records)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= records) return;
    uint4* tmp = static_cast<uint4*>(memory_pool_alloc(4 * sizeof(uint4)));
    if (!tmp) return;
    for (int k = 0; k < 4; ++k) tmp[k] = in[4 * (size_t)r + k];
    for (int k = 0; k < 4; ++k) {
        const uint4 q = tmp[3 - k];
        out[4 * (size_t)r + k] = make_uint4(__byte_perm(q.w, 0, 0x0123), __byte_perm(q.z, 0, 0x0123),
                                            __byte_perm(q.y, 0, 0x0123), __byte_perm(q.x, 0, 0x0123));
    }
    memory_pool_free(tmp);
}

// 1 <= records <= 2^20
void reverse_all(const uint4* in, uint4* out, int records)
{
    reverse_records<<<(records + 63) / 64, 64>>>(in, out, records);
}
