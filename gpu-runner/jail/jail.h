/*
 * Where foreign code is compiled (and, later, run). The stages ask for "this program, these
 * folders, these limits" and don't know how that is held in.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_H
#define CMPD_GPU_RUNNER_JAIL_H

#include <stdbool.h>

#include "analysis/base/proc.h"

struct cmpd_jail_request {
    const char *const *argv; /* MUST; borrowed; argv[0] is absolute */
    const char *sources; /* the repository: to be read, never written; the program starts there */
    const char *toolkit; /* folder that holds bin/nvcc: to be read */
    const char *work;    /* private folder: to be written; also HOME and TMPDIR */
    struct cmpd_proc_limits limits;
    uint64_t deadline_ms;
    size_t output_ceiling;                           /* each of stdout and stderr */
    int cancel_fd;                                   /* as in cmpd_proc_spec */
    void (*on_tick)(void *ctx, uint64_t elapsed_ms); /* MAY be NULL */
    void *tick_ctx;
};

struct cmpd_jail_ops {
    const char *name; /* "none" */
    /* MUST. Runs the program and waits; results as cmpd_proc_run's. Safe from several threads. */
    cmpd_rc (*run)(const struct cmpd_jail_request *request, struct cmpd_proc_result *result,
                   struct cmpd_err *err);
};

/*
 * No jail: limits, a clean environment, a process group, closed descriptors. What the program may
 * read is what the user may read.
 */
extern const struct cmpd_jail_ops cmpd_jail_none;

#endif
