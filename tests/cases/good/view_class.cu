#include <cuda_runtime.h>

template <typename T>
class View2D {
public:
    __host__ __device__ View2D(T* p, int rows, int cols) : p_(p), rows_(rows), cols_(cols) {}
    __device__ T& operator()(int r, int c) const { return p_[(size_t)r * cols_ + c]; }
    __host__ __device__ int rows() const { return rows_; }
    __host__ __device__ int cols() const { return cols_; }

private:
    T* p_;
    int rows_, cols_;
};

__global__ void antisymmetrise(View2D<const float> a, View2D<float> b)
{
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const bool inside = r < b.rows() && c < b.cols();
    auto put = [&b](int i, int j, float v) { b(i, j) = v; };
    if (inside) put(r, c, a(r, c) - a(c, r));
}

// square matrices, 1 <= n <= 32768
void antisym(const float* a, float* b, int n, cudaStream_t s)
{
    const unsigned side = (n + 15) / 16;
    antisymmetrise<<<dim3(side, side), dim3(16, 16), 0, s>>>(View2D<const float>(a, n, n), View2D<float>(b, n, n));
}
