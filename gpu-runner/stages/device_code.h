/* What the stage wants to know of the object's device code before anything runs: read from its PTX. */
#ifndef CMPD_GPU_RUNNER_STAGES_DEVICE_CODE_H
#define CMPD_GPU_RUNNER_STAGES_DEVICE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmpd_code_kernel {
    char *name; /* owned; mangled */
    uint32_t
        store_line; /* in the judged file, of the first store that can be seen outside; 0: none */
    uint32_t narrow_line; /* the same of the first rounding to half or bf16; 0: none */
};

struct cmpd_device_code {
    struct cmpd_code_kernel *kernels; /* owned */
    size_t count, cap;
    unsigned approximations; /* CMPD_APPROX_* */
    bool approximate;        /* it holds any instruction that is not exact */
};

/* Never fails: what can't be read is left out (loading it will say so). `file`: as judged, relative to the root. */
void cmpd_device_code_read(const void *object, size_t len, const char *file,
                           struct cmpd_device_code *out);
void cmpd_device_code_clear(struct cmpd_device_code *c);

/* NULL: no such kernel. */
const struct cmpd_code_kernel *cmpd_device_code_find(const struct cmpd_device_code *c,
                                                     const char *mangled);

#endif
