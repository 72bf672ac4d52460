// a plain one
#include <cuda_runtime.h>
#define N 256
__global__ void __launch_bounds__(N, 2) add(const float *__restrict__ a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* index */
    if (i < n)
        b[i] = a[i] + 1.0f;
}
int main() { add<<<(1000 + N - 1) / N, N>>>(nullptr, nullptr, 1000); printf("%d\n", N); }
