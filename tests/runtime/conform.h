/*
 * Programs that print what runtime calls return, one line a call. The same text is expected of NVIDIA's own runtime on
 * a GPU: expect/NAME.txt was written there (CUDA 13.0, H200) by
 *
 *   cc -DCONFORM_REAL -I/usr/local/cuda/include conform_NAME.c -L/usr/local/cuda/lib64 -lcudart && ./a.out
 *
 * A line that begins with '#' is a fact that may differ from machine to machine and is not compared.
 */
#ifndef CMPD_TESTS_RUNTIME_CONFORM_H
#define CMPD_TESTS_RUNTIME_CONFORM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CONFORM_REAL
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#define LEGACY     cudaStreamLegacy
#define PER_THREAD cudaStreamPerThread
#else
#include "gpu-runner/cudart/api_calls.h"
#define LEGACY     CMPD_CUDA_STREAM_LEGACY
#define PER_THREAD CMPD_CUDA_STREAM_PER_THREAD
#endif

/* The call, its error, and the error that it left behind (and takes it away). */
#define T(expression)                                                           \
    do {                                                                        \
        cudaError_t error_ = (expression);                                      \
        cudaError_t left_ = cudaGetLastError();                                 \
        printf("%d %s -> %s", __LINE__, #expression, cudaGetErrorName(error_)); \
        if (left_ != error_)                                                    \
            printf(" (left %s)", cudaGetErrorName(left_));                      \
        printf("\n");                                                           \
        fflush(stdout);                                                         \
    } while (0)

#define SHOW(format, ...)                                 \
    do {                                                  \
        printf("%d " format "\n", __LINE__, __VA_ARGS__); \
        fflush(stdout);                                   \
    } while (0)

#endif
