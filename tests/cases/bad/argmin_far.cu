#include <cuda_runtime.h>

// Nearest of k centres for each of n points on a line.
__global__ void assign(const float* pts, const float* centre, int* label, int n, int k)
{
    const int id = blockDim.x * blockIdx.x + threadIdx.x;
    if (id >= n) return;
    float best = fabsf(pts[id] - centre[0]);
    int arg = 0;
    for (int c = 1; c < k; ++c) {
        const float d = fabsf(pts[id] - centre[c]);
        if (d < best) { best = d; arg = c; }
    }
    label[id] = arg;
}

// 1 <= n <= 2^28, 1 <= k <= 1024
void assign_labels(const float* pts, const float* centre, int* label, int n, int k)
{
    const int threadsPerBlock = 256;
    const int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    assign<<<threadsPerBlock, blocksPerGrid>>>(pts, centre, label, n, k);
}
