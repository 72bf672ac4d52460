// ask: op=reduce_sum
// get: launcher reduce_sum [in:x dim:n] f32 D returns:out
__global__ void rs(const float *x, float *o, int n)
{
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        v += x[i];
    atomicAdd(o, v);
}
float reduce_sum(const float *d_in, int n)
{
    float *o;
    cudaMalloc(&o, 4);
    cudaMemset(o, 0, 4);
    rs<<<1, 256>>>(d_in, o, n);
    float h;
    cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);
    cudaFree(o);
    return h;
}
