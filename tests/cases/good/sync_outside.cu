#include <cuda_runtime.h>

struct Record {
    float4 a, b;
};

__global__ void pick(const Record* all, const int* index, Record* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = all[index[i]];
}

// out: n records on the device, first: one record on the host; 1 <= n <= 2^24
void gather(const Record* all, const int* index, Record* out, Record* first, int n)
{
    pick<<<(n + 127) / 128, 128>>>(all, index, out, n);
    cudaMemcpy(first, out, sizeof(Record), cudaMemcpyDeviceToHost);
}
