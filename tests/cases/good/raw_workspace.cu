#include <cuda_runtime.h>

template <int THREADS>
struct Layout {
    static constexpr size_t sums = THREADS * sizeof(double);
    static constexpr size_t best = THREADS * sizeof(float);
    static constexpr size_t where = THREADS * sizeof(int);
    static constexpr size_t total = sums + best + where;
};

template <int THREADS>
__global__ void row_facts(const float* x, double* mean, float* top, int* arg, int cols)
{
    extern __shared__ __align__(16) char pool[];
    double* sum = reinterpret_cast<double*>(pool);
    float* best = reinterpret_cast<float*>(pool + Layout<THREADS>::sums);
    int* where = reinterpret_cast<int*>(pool + Layout<THREADS>::sums + Layout<THREADS>::best);
    const int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * cols;

    double s = 0.0;
    float b = row[0];
    int w = 0;
    for (int c = t; c < cols; c += THREADS) {
        s += row[c];
        if (row[c] > b) { b = row[c]; w = c; }
    }
    sum[t] = s;
    best[t] = b;
    where[t] = w;
    for (int h = THREADS / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h) {
            sum[t] += sum[t + h];
            if (best[t + h] > best[t] || (best[t + h] == best[t] && where[t + h] < where[t])) {
                best[t] = best[t + h];
                where[t] = where[t + h];
            }
        }
    }
    if (t == 0) {
        mean[blockIdx.x] = sum[0] / cols;
        top[blockIdx.x] = best[0];
        arg[blockIdx.x] = where[0];
    }
}

// rows >= 1, 1 <= cols <= 2^30
void facts(const float* x, double* mean, float* top, int* arg, int rows, int cols, cudaStream_t s)
{
    row_facts<256><<<rows, 256, Layout<256>::total, s>>>(x, mean, top, arg, cols);
}
