#include <cuda_runtime.h>

__global__ void add_one(unsigned char *v, unsigned long long n)
{
    const unsigned at = blockIdx.x * 512u + threadIdx.x; // expect: type_width_mismatch reject
    if (at < n) {
        v[at]++;
    }
}

// n bytes, 1 <= n <= 2^35
void run(unsigned char *v, unsigned long long n)
{
    const unsigned blocks = static_cast<unsigned>((n + 511) / 512);
    add_one<<<blocks, 512>>>(v, n);
}

__global__ void plane_mean(const float *in, float *out, int planes, int size)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < planes) {
        out[p] = (in[p * size] + in[p * size + size - 1]) / 2; // expect: type_width_mismatch reject
    }
}

// planes <= 65536, size at most 65536
void ends(const float *in, float *out, int planes, int size)
{
    plane_mean<<<(planes + 63) / 64, 64>>>(in, out, planes, size);
}
