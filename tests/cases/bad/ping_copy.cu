#include <cuda_runtime.h>

class PingPong {
public:
    explicit PingPong(int n) : n_(n)
    {
        cudaMalloc(&front_, n_ * sizeof(double));
        cudaMalloc(&back_, n_ * sizeof(double));
        cudaMemset(front_, 0, n_ * sizeof(double));
    }
    ~PingPong()
    {
        cudaFree(front_);
        cudaFree(back_);
    }
    PingPong(const PingPong&) = delete;
    PingPong& operator=(const PingPong&) = delete;

    void keep(cudaStream_t s)
    {
        cudaMemcpyAsync(back_, front_, n_ * sizeof(double), cudaMemcpyHostToHost, s);
    }
    void step(double dt, cudaStream_t s);

private:
    double* front_ = nullptr;
    double* back_ = nullptr;
    int n_;
};

__global__ void euler(const double* was, double* now, double dt, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        now[i] = was[i] - dt * was[i];
}

// 1 <= n <= 2^26
void PingPong::step(double dt, cudaStream_t s)
{
    keep(s);
    euler<<<100, 128, 0, s>>>(back_, front_, dt, n_);
}
