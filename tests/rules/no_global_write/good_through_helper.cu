#include <cuda_runtime.h>

struct sink {
    double *p;
    __device__ void put(int at, double v) const { p[at] = v; }
};

__device__ void keep(double &place, double v)
{
    place = v;
}

__global__ void two_ways(sink s, double *q, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s.put(i, i * 0.5);
        double *mine = q + i;
        keep(*mine, i * 2.0);
    }
}

void run(double *p, double *q, int n)
{
    two_ways<<<(n + 31) / 32, 32>>>(sink{p}, q, n);
}
