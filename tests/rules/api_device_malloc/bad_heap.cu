#include <cstdlib>
#include <cuda_runtime.h>

__device__ float *scratch(int count)
{
    return static_cast<float *>(malloc(count * sizeof(float))); // expect: api_device_malloc review
}

__global__ void windows(const float *in, float *out, int width, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float *w = scratch(width);
        int *order = new int[width]; // expect: api_device_malloc review
        float sum = 0.0f;
        for (int k = 0; k < width; ++k) {
            order[k] = k;
            w[k] = in[(i + k) % n];
        }
        for (int k = 0; k < width; ++k) {
            sum += w[order[k]];
        }
        out[i] = sum;
        delete[] order; // expect: api_device_malloc review
        free(w); // expect: api_device_malloc review
    }
}

void run(const float *in, float *out, int width, int n)
{
    windows<<<(n + 127) / 128, 128>>>(in, out, width, n);
}
