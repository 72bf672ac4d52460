// ask: op=axpy
// get: launcher axpy [dim:n scalar:alpha in:x in:y out:y] f32 DDD
__constant__ float c_alpha;

__global__ void scaled_add(const float *x, const float *y, float *z, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = fmaf(c_alpha, x[i], y[i]);
}

void axpy(size_t n, const float alpha, const float *x, const float *y, float *z)
{
    cudaMemcpyToSymbol(c_alpha, &alpha, sizeof(float));
    scaled_add<<<(unsigned)((n + 255) / 256), 256>>>(x, y, z, n);
}
