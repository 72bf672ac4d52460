// The everyday kernels: elementwise, tiled product, block reduction, softmax, transpose, histogram, scan.
__global__ void add(float *o, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = tanhf(a[i]) + b[i];
}
__global__ void product(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int t = 0; t < (n + 15) / 16; t++) {
        ta[threadIdx.y][threadIdx.x] = y < n && t * 16 + threadIdx.x < n ? a[y * n + t * 16 + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] = x < n && t * 16 + threadIdx.y < n ? b[(t * 16 + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            s += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = s;
}
__global__ void softmax(float *o, const float *in, int n)
{
    __shared__ float part[32];
    const float *row = in + (size_t)blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, row[i]);
    for (int d = 16; d; d >>= 1)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = m;
    __syncthreads();
    for (int i = 0; i < blockDim.x / 32; i++)
        m = fmaxf(m, part[i]);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += expf(row[i] - m);
    for (int d = 16; d; d >>= 1)
        s += __shfl_xor_sync(~0u, s, d);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        o[(size_t)blockIdx.x * n + i] = __fdividef(expf(row[i] - m), s);
}
__global__ void histogram(unsigned *bins, const unsigned char *in, size_t n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
