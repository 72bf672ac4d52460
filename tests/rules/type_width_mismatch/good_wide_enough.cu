#include <cuda_runtime.h>

__global__ void add_one(unsigned char *v, size_t n)
{
    const size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < n) {
        v[at]++;
    }
}

// 1 <= n <= 2^35
void run(unsigned char *v, size_t n)
{
    add_one<<<static_cast<unsigned>((n + 511) / 512), 512>>>(v, n);
}

__global__ void rows(float *m, int height, int width)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < height) {
        m[y * width] = 0.0f;
    }
}

// height <= 40000, width <= 50000
void clear(float *m, int height, int width)
{
    rows<<<(height + 63) / 64, 64>>>(m, height, width);
}

__global__ void hash(unsigned *h, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        h[(i * 2654435761u) % count] = i;
    }
}

// count up to 2^30
void hashes(unsigned *h, unsigned count)
{
    hash<<<(count + 255) / 256, 256>>>(h, count);
}
