// ask: op=gelu
// get: kernel gelu_kernel [in:x out:y dim:n] f32 DD <<<((((n + threads[256]) - 1) / threads[256]), 1, 1), (threads[256], 1, 1), 0>>>
#include <cstdio>
__global__ void gelu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
int main()
{
    const int N = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, N * 4);
    cudaMalloc(&y, N * 4);
    int threads = 256;
    int blocks = (N + threads - 1) / threads;
    gelu_kernel<<<blocks, threads>>>(x, y, N);
    cudaDeviceSynchronize();
    printf("ok\n");
}
