#define __CUDACC__ 2
#undef __CUDA_ARCH__
#undef N
int a = __CUDACC__ + N + F(1) + NDEBUG;
#define N 5
N
#define N 6
N
