#include <cuda_runtime.h>

#define SWAP(T, a, b)               \
    do {                            \
        T swap_tmp_ = (a);          \
        (a) = (b);                  \
        (b) = swap_tmp_;            \
    } while (0)

#define SQUARE(v) ((v) * (v))
#define WITH_LOCAL(name, value) int name = (value);
#define UNIQUE(n, value) int local_##n = (value); x[i] += local_##n;
#define SUM4(acc, p)                \
    {                               \
        float t = 0.0f;             \
        for (int j = 0; j < 4; ++j) \
            t += (p)[j];            \
        (acc) += t;                 \
    }
#define idx(r, c) ((r) * pitch + (c))
#define RESTRICT __restrict__
#define real float
#define COUNT 16

struct cell {
    float t;
};

__global__ void mix(real *RESTRICT x, const cell *cells, int pitch, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        real a = x[i];
        real b = SQUARE(a) + cells[i].t;
        SWAP(real, a, b);
        float sum = cells[i].t;
        SUM4(sum, x)
        float t = sum;
        WITH_LOCAL(idx, COUNT)
        UNIQUE(j, idx)
        x[i] = a + b + t + cells[i].t;
        x[idx(0, i)] += 1.0f;
    }
}

void run(real *x, const cell *cells, int n)
{
    mix<<<(n + 127) / 128, 128>>>(x, cells, 0, n);
}
