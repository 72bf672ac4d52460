#include <cuda_runtime.h>

template <int N>
__global__ void power(float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p = 1.0f;
        for (int k = 0; k < N; ++k) {
            p *= v[i];
        }
        v[i] = p;
    }
}

void run(float *v, int n, int exponent)
{
    const int blocks = (n + 127) / 128;
    switch (exponent) {
    case 1: power<1><<<blocks, 128>>>(v, n); break; // expect: template_bloat review
    case 2: power<2><<<blocks, 128>>>(v, n); break;
    case 3: power<3><<<blocks, 128>>>(v, n); break;
    case 4: power<4><<<blocks, 128>>>(v, n); break;
    case 5: power<5><<<blocks, 128>>>(v, n); break;
    default: power<0><<<blocks, 128>>>(v, n); break;
    }
}
