#include <cuda_runtime.h>

typedef struct cudnnContext* cudnnHandle_t;
typedef struct cudnnTensorStruct* cudnnTensorDescriptor_t;
extern "C" int cudnnCreate(cudnnHandle_t*);
extern "C" int cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t*);
extern "C" int cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t, int, int, int, int, int, int);
extern "C" int cudnnSoftmaxForward(cudnnHandle_t, int, int, const void*, cudnnTensorDescriptor_t, const void*, const void*,
                                   cudnnTensorDescriptor_t, void*);

extern "C" void softmax(const float* x, float* y, int rows, int cols) {
    cudnnHandle_t h;
    cudnnTensorDescriptor_t d;
    cudnnCreate(&h);
    cudnnCreateTensorDescriptor(&d);
    cudnnSetTensor4dDescriptor(d, 0, 0, rows, cols, 1, 1);
    const float one = 1.f, zero = 0.f;
    cudnnSoftmaxForward(h, 1, 0, &one, d, x, &zero, d, y);
}
