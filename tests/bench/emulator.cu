// Kernels whose emulation is timed: memory-bound, shared memory with barriers, warp shuffles, atomics.
#define TILE 16

extern "C" __global__ void tanh_add(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tanhf(x[i]) + y[i];
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void row_norm(const float *x, const float *unused, float *out, int n)
{
    __shared__ float part[8];
    const float *row = x + blockIdx.x * n;
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += row[i] * row[i];
    for (int o = 16; o; o >>= 1)
        s += __shfl_down_sync(0xffffffff, s, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < 8; i++)
        s += part[i];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = row[i] * rsqrtf(s / n + 1e-6f);
}

extern "C" __global__ void histogram(const float *x, const float *unused, float *out, int n)
{
    __shared__ int bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[min(63, max(0, (int)(x[i] * 64)))], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&out[threadIdx.x], (float)bins[threadIdx.x]);
}
