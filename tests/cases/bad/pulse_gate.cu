#include <cuda_runtime.h>

__global__ void pulse_gate_kernel(const short* in, short* out, short threshold, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] > threshold ? in[n - 1 - i] : (short)0;
}

// 256 <= n <= 2^28
void pulse_gate(const short* in, short* out, short threshold, int n)
{
    pulse_gate_kernel<<<n / 256, 256>>>(in, out, threshold, n);
}
