#include <cuda_runtime.h>

__device__ __forceinline__ void exchange(int& p, int& q)
{
    const int tmp = p;
    p = q;
    q = tmp;
}

// Smallest component first, in every packet.
__global__ void smallest_first(int4 *v, int n4)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n4) {
        int4 q = v[idx];
        int tmp = q.x;
        if (q.y < tmp) exchange(q.y, tmp);
        if (q.z < tmp) exchange(q.z, tmp);
        if (q.w < tmp) exchange(q.w, tmp);
        q.x = tmp;
        v[idx] = q;
    }
}

/* 1 <= n4 <= 2^28 */
void order_packets(int4 *v, int n4, cudaStream_t s)
{
    smallest_first<<<(n4 + 255) / 256, 256, 0, s>>>(v, n4);
}
