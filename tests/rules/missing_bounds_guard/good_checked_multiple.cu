#include <cuda_runtime.h>
#include <stdexcept>

// No guard is needed: both launchers turn counts away that are no whole blocks.
__global__ void scale(float2 *x, float a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i].x *= a;
    x[i].y *= a;
}

void scale_or_throw(float2 *x, int n, float a)
{
    if (n % 256 != 0)
        throw std::invalid_argument("n");
    scale<<<(n + 255) / 256, 256>>>(x, a);
}

cudaError_t scale_or_refuse(float2 *x, int n, float a)
{
    if (n % 256 != 0)
        return cudaErrorInvalidValue;
    scale<<<(n + 255) / 256, 256>>>(x, a);
    return cudaGetLastError();
}
