#include <cuda_runtime.h>

// Mean-centres rows of at most 4096 floats, one block a row.
__global__ void centre_rows(float* m, int cols)
{
    extern __shared__ __align__(16) unsigned char scratch[];
    float* line = reinterpret_cast<float*>(scratch);
    __shared__ float mean;

    float* row = m + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) line[c] = row[c];
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int c = 0; c < cols; ++c) s += line[c];
        mean = s / cols;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] = line[c] - mean;
}

// rows >= 1, 1 <= cols <= 4096
void centre(float* m, int rows, int cols)
{
    centre_rows<<<rows, 128, cols * sizeof(float)>>>(m, cols);
}
