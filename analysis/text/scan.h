/*
 * The scan layer: one PCRE2 (JIT) pass over the source with comments and
 * literals blanked, which counts what later layers may have to look at. What
 * it does not find is not there; what it finds may be less than it seems.
 */
#ifndef CMPD_ANALYSIS_TEXT_SCAN_H
#define CMPD_ANALYSIS_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

enum cmpd_scan_item {
    CMPD_SCAN_GLOBAL_FN, /* __global__ */
    CMPD_SCAN_DEVICE_FN, /* __device__ */
    CMPD_SCAN_LAUNCH,    /* <<< */
    CMPD_SCAN_LAUNCH_API, /* cudaLaunchKernel, cudaLaunchKernelEx, cudaLaunchCooperativeKernel, cuLaunchKernel */
    CMPD_SCAN_SHARED,      /* __shared__ */
    CMPD_SCAN_BARRIER,     /* __syncthreads*, .sync(), barrier */
    CMPD_SCAN_CUDA_CALL,   /* cuda[A-Z]\w* or cu[A-Z]\w* followed by ( */
    CMPD_SCAN_MEMCPY,      /* cudaMemcpy* */
    CMPD_SCAN_ALLOC,       /* cudaMalloc* */
    CMPD_SCAN_DEFINE,      /* #define */
    CMPD_SCAN_UNDEF,       /* #undef */
    CMPD_SCAN_TEMPLATE,    /* template */
    CMPD_SCAN_REINTERPRET, /* reinterpret_cast, or a C cast to a pointer type */
    CMPD_SCAN_PRINTF,      /* printf( */
    CMPD_SCAN_MALLOC,      /* malloc(, new, free(, delete */
    CMPD_SCAN_INTRINSIC,   /* __name( */
    CMPD_SCAN_ATOMIC,      /* atomic\w* ( */
    CMPD_SCAN_INDEX_YZ,    /* (threadIdx|blockIdx|blockDim|gridDim).[yz] */
    CMPD_SCAN_SIZEOF,
    CMPD_SCAN_MAIN, /* int main( */
    CMPD_SCAN_ITEM_COUNT
};

struct cmpd_scan {
    uint32_t count[CMPD_SCAN_ITEM_COUNT];
    uint32_t first[CMPD_SCAN_ITEM_COUNT]; /* offset of the first one; UINT32_MAX: none */
};

/* `blanked` is cmpd_lex_blanked's text, or the raw text for a quick look before the lexer has run. */
cmpd_rc cmpd_scan_run(const char *blanked, size_t len, struct cmpd_scan *out, struct cmpd_err *err);

#endif
