#include <cuda_runtime.h>

__global__ void online_softmax(const float* x, size_t pitch_x, float* y, size_t pitch_y, int cols) {
    const float* row = (const float*)((const char*)x + blockIdx.x * pitch_x);
    float* dst = (float*)((char*)y + blockIdx.x * pitch_y);
    float m = -__int_as_float(0x7f800000), d = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = row[c];
        float m_new = fmaxf(m, v);
        d = d * __expf(m - m_new) + __expf(v - m_new);
        m = m_new;
    }
    __shared__ float sm[128], sd[128];
    sm[threadIdx.x] = m;
    sd[threadIdx.x] = d;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            float m1 = sm[threadIdx.x], m2 = sm[threadIdx.x + s];
            float mm = fmaxf(m1, m2);
            float a = m1 == mm ? 1.0f : __expf(m1 - mm);
            float b = m2 == mm ? 1.0f : __expf(m2 - mm);
            sd[threadIdx.x] = sd[threadIdx.x] * a + sd[threadIdx.x + s] * b;
            sm[threadIdx.x] = mm;
        }
        __syncthreads();
    }
    m = sm[0];
    d = sd[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) dst[c] = __expf(row[c] - m) / d;
}

extern "C" bool softmax_cpu_buffers(const float* h_in, float* h_out, int rows, int cols) {
    float *d_in = NULL, *d_out = NULL;
    size_t pin = 0, pout = 0;
    if (cudaMallocPitch(&d_in, &pin, cols * sizeof(float), rows) != cudaSuccess) return false;
    if (cudaMallocPitch(&d_out, &pout, cols * sizeof(float), rows) != cudaSuccess) return false;
    cudaMemcpy2D(d_in, pin, h_in, cols * sizeof(float), cols * sizeof(float), rows, cudaMemcpyHostToDevice);
    online_softmax<<<rows, 128>>>(d_in, pin, d_out, pout, cols);
    cudaMemcpy2D(h_out, cols * sizeof(float), d_out, pout, cols * sizeof(float), rows, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess;
}
