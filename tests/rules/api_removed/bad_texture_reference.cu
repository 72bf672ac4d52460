#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> tex_in; // expect: api_removed reject

__global__ void gather(const int *index, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex1Dfetch(tex_in, index[i]);
    }
}

void run(const float *in, const int *index, float *out, int n)
{
    cudaBindTexture(nullptr, tex_in, in, n * sizeof(float)); // expect: api_removed reject
    gather<<<(n + 127) / 128, 128>>>(index, out, n);
    cudaUnbindTexture(tex_in); // expect: api_removed reject
}
