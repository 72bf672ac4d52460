/*
 * nvcc's diagnostics as data. nvcc is a driver: what it prints comes from the preprocessor and host
 * compiler (gcc form), the CUDA front end (EDG form), ptxas, nvlink and nvcc itself, each with a
 * form of its own. This file knows the forms; compile_findings.h knows what they mean for a
 * verdict.
 */
#ifndef CMPD_GPU_RUNNER_DIAG_H
#define CMPD_GPU_RUNNER_DIAG_H

#include <stddef.h>
#include <stdint.h>

enum cmpd_diag_tool {
    CMPD_DIAG_HOST,   /* f.cu:12:3: error: ...        preprocessor and host compiler */
    CMPD_DIAG_FRONT,  /* f.cu(12): error: ...         the CUDA front end */
    CMPD_DIAG_PTXAS,  /* ptxas f.ptx, line 4; error : ... */
    CMPD_DIAG_LINK,   /* nvlink error : ..., ld */
    CMPD_DIAG_DRIVER, /* nvcc fatal : ... */
};

struct cmpd_diag {
    enum cmpd_diag_tool tool;
    char *path;        /* owned; as printed; NULL where the form has none */
    uint32_t line;     /* 1-based, 0: none. PTXAS: of the PTX file */
    uint32_t column;   /* 1-based, 0: none (HOST only; see caret) */
    char *message;     /* owned; one line, supplements joined with "; " */
    char *context;     /* owned, NULL: where a template was instantiated, one line */
    char *use_path;    /* owned, NULL: the outermost place of use (instantiation, inclusion) ... */
    uint32_t use_line; /* ... and its line; 0: none */
    char *shown;       /* owned, NULL: the source line as printed, macros expanded */
    uint32_t caret;    /* 1-based place of the caret in shown; 0: none */
};

struct cmpd_diags {
    struct cmpd_diag
        *items; /* owned; errors only, in the order printed; warnings and notes are not kept */
    size_t count, cap;
};

#define CMPD_DIAGS_CEILING \
    500 /* more errors than this are not kept: nvcc itself stops at 100 a pass */

/* Never fails: what is not understood is left out. `text` need not be terminated or valid UTF-8. */
void cmpd_diag_parse(const char *text, size_t len, struct cmpd_diags *out);
void cmpd_diags_clear(struct cmpd_diags *d);

#endif
