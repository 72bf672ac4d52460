#include <cuda_runtime.h>

__global__ void pulse_gate_kernel(const short* in, short* out, short threshold, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] > threshold ? in[n - 1 - i] : (short)0;
}

// n is a multiple of 256, 256 <= n <= 2^28
void pulse_gate(const short* in, short* out, short threshold, int n)
{
    pulse_gate_kernel<<<n / 256, 256>>>(in, out, threshold, n);
}
