/*
 * The compile stage: one file, one toolkit, into findings. `nvcc -c` with the policy's flags, in
 * the repository's root, with its results cached.
 */
#ifndef CMPD_GPU_RUNNER_COMPILE_H
#define CMPD_GPU_RUNNER_COMPILE_H

#include <stdbool.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "gpu-runner/compile/cache.h"
#include "gpu-runner/compile/compile_findings.h"
#include "gpu-runner/jail/jail.h"

struct cmpd_compile_request {
    const char *root; /* absolute; borrowed, as all */
    const char *file; /* relative to root */
    const struct cmpd_nvcc *nvcc;
    /*
     * Text that is compiled in the file's place and includes it by its absolute path, to reach what the
     * file alone leaves out of its object. NULL: the file itself.
     */
    const char *shim;
    const struct cmpd_jail_ops *jail;
    const struct cmpd_cache *cache;
    int cancel_fd;                                   /* as in cmpd_proc_spec */
    void (*on_tick)(void *ctx, uint64_t elapsed_ms); /* MAY be NULL */
    void *tick_ctx;
};

struct cmpd_compile_result {
    bool ok; /* an object was made */
    bool cached;
    bool cancelled;                        /* nothing else counts then */
    double elapsed_ms;                     /* of this call */
    char *version;                         /* owned; the toolkit's, "13.0.88" */
    struct cmpd_compile_findings findings; /* empty exactly where ok */
    struct cmpd_buf object;                /* owned; the ELF object, where ok */
};

/*
 * CMPD_EUNAVAIL: no usable nvcc at the path (the message says what to do). CMPD_ENOENT,
 * CMPD_EINPUT, CMPD_EIO: the file can't be read. All else that goes wrong is a finding. Clear the
 * result on success.
 */
cmpd_rc cmpd_compile_run(const struct cmpd_compile_request *request,
                         struct cmpd_compile_result *result, struct cmpd_err *err);
void cmpd_compile_result_clear(struct cmpd_compile_result *result);

#endif
