__global__ void k(float *x, int n) {}
template <int N> __global__ void t(float *x) {}
void go(float *x, int n, dim3 g, dim3 b, void **elsewhere, cudaStream_t st)
{
    void *args[] = {&x, (void *)&n};
    cudaLaunchKernel((void *)k, g, b, args, 64, st);
    cudaLaunchKernel((const void *)&t<4>, dim3(1), dim3(2), elsewhere, 0, 0);
    cudaLaunchCooperativeKernel((void *)k, g, b, args);
    cudaLaunchConfig_t config = {0};
    config.gridDim = g;
    config.blockDim.x = 32;
    cudaLaunchKernelEx(&config, k, x, n);
    cudaLaunchKernelExC(&config, (const void *)k, args);
    cudaLaunchKernel(unknown_kernel, g, b, args, 0, st);
    cudaLaunchHostFunc(st, callback, x);
}
