#if defined(A) || !defined B && (1 + 2 * 3 >= 7) ? 0x10u << 2 : 07
int a;
#elif __has_include(<vector>) && __CUDACC_VER_MAJOR__ >= 12
int b;
#elif 1 / 0
int c;
#else
int d;
#endif
#ifdef __CUDA_ARCH__
int e;
#endif
#if (((
#endif
#if
#elif
#else
#else
#endif
#endif
#ifndef G
#define G
#if -1 >> 63 == -1 && ~0 && '\n' == 10 && 0b11 == 3 && 1'000 == 1000 && (-9223372036854775807 - 1) / -1
int f;
#endif
#endif
#if defined(
#if 1 ? 2
