#include <cstdlib>
#include <cuda_runtime.h>

template <typename F>
__global__ void for_each(float *x, F f, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = f(x[i]);
    }
}

struct parse {
    const char *text;
    __device__ float operator()(float x) const
    {
        return x + atoi(text); // expect: api_host_in_device reject
    }
};

// nvcc --extended-lambda
void run(float *x, const char *text, int n)
{
    for_each<<<(n + 127) / 128, 128>>>(x, parse{text}, n);
    for_each<<<(n + 127) / 128, 128>>>(
        x, [] __device__(float v) { return v * rand(); }, n); // expect: api_host_in_device reject
    auto on_host = [](float v) { return v * rand(); };
    x[0] = on_host(1.0f);
}
