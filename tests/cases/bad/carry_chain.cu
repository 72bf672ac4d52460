#include <cuda_runtime.h>

// out[k] = k-th entry plus the sum of the leading entries of all earlier 128-wide slices.
__global__ void offsets(const int* in, int* out, int slices)
{
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int s = 0; s < slices; ++s) {
        const int v = in[s * 128 + threadIdx.x];
        out[s * 128 + threadIdx.x] = v + carry;
        if (threadIdx.x == 0) carry += v;
        __syncthreads();
    }
}

// 1 <= slices <= 2^20; one block
void slice_offsets(const int* in, int* out, int slices)
{
    offsets<<<1, 128>>>(in, out, slices);
}
