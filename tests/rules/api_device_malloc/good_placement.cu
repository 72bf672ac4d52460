#include <cstdlib>
#include <cuda_runtime.h>
#include <new>

struct pair {
    float low, high;
    __device__ pair(float l, float h) : low(l), high(h) {}
};

__global__ void ranges(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __align__(8) unsigned char room[sizeof(pair)];
        pair *p = new (room) pair(in[i], in[i] + 1.0f);
        out[i] = p->high - p->low;
    }
}

void run(const float *in, float *out, int n)
{
    int *order = new int[n];
    void *more = malloc(n);
    ranges<<<(n + 127) / 128, 128>>>(in, out, n);
    free(more);
    delete[] order;
}
