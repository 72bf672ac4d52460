#include <cuda_runtime.h>

// One block a row of 4 * cols4 floats: y = max(x + bias, 0).
__global__ void bias_relu(const float4 *x, const float4 *bias, float4 *y, int cols4)
{
    const float4 *in = x + static_cast<size_t>(blockIdx.x) * cols4;
    float4 *out = y + static_cast<size_t>(blockIdx.x) * cols4;

    for (int c = threadIdx.x; c < cols4; c += blockDim.x) {
        float4 v = in[c];
        float4 b = bias[c];
        out[c] = make_float4(fmaxf(v.x + b.x, 0.0f), fmaxf(v.y + b.y, 0.0f),
                             fmaxf(v.z + b.z, 0.0f), fmaxf(v.w + b.w, 0.0f));
    }
}

void launch_bias_relu(const float4 *x, const float4 *bias, float4 *y, int rows, int cols4)
{
    bias_relu<<<rows, 256>>>(x, bias, y, cols4);
}
