// ask: op=add
// get: launcher vectorAdd [in:a in:b out:out dim:n] f32 HHH
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
void vectorAdd(const float *h_a, const float *h_b, float *h_c, int n)
{
    float *d_a, *d_b, *d_c;
    size_t s = n * sizeof(float);
    cudaMalloc(&d_a, s);
    cudaMalloc(&d_b, s);
    cudaMalloc(&d_c, s);
    cudaMemcpy(d_a, h_a, s, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_b, s, cudaMemcpyHostToDevice);
    vadd<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    cudaMemcpy(h_c, d_c, s, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}
