#include <cuda_runtime.h>

// Old code keeps its names: this file says what they mean.
#define cudaThreadSynchronize cudaDeviceSynchronize
#define __shfl_xor(v, lane) __shfl_xor_sync(0xffffffffu, (v), (lane))

template <typename T>
struct texture {
    const T *data;
    int size;
};

struct clocks {
    int clockRate;
};

__global__ void swap_lanes(texture<float> in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = i < in.size ? in.data[i] : 0.0f;
    const float w = __shfl_xor(v, 1);
    if (i < in.size) {
        out[i] = w;
    }
}

int run(const float *in, float *out, int n)
{
    clocks prop = {1000};
    texture<float> t = {in, n};
    swap_lanes<<<(n + 127) / 128, 128>>>(t, out);
    return cudaThreadSynchronize() == cudaSuccess ? prop.clockRate : 0;
}
