#include <cuda_runtime.h>

__global__ void copy4(const float4 *in, float4 *out, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        out[i] = in[i];
    }
}

__global__ void doubles(double2 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i].x += 1.0;
    }
}

void run(const float4 *in, float4 *out, double2 *v, int n)
{
    copy4<<<(n + 255) / 256, 256>>>(in, out, n);
    doubles<<<(n + 255) / 256, 256>>>(v, n);
}
