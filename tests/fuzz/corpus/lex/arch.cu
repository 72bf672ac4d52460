__device__ int f() {
#if __CUDA_ARCH__ >= 700
 return 1;
#else
 return 0;
#endif
}
#if __CUDA_ARCH__ < 600
__device__ void atomics() {}
#endif
void h() {
#ifdef __CUDA_ARCH__
 x();
#endif
}
