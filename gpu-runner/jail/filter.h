/* The seccomp filters, as programs for the kernel (8 bytes an instruction). */
#ifndef CMPD_GPU_RUNNER_JAIL_FILTER_H
#define CMPD_GPU_RUNNER_JAIL_FILTER_H

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

enum cmpd_filter_kind {
    /*
     * For nvcc and its tools: all is allowed but what no compiler needs (sockets other than
     * AF_UNIX, tracing, mounts, namespaces, keys, bpf, io_uring, terminal input, ...), which fails
     * with EPERM.
     */
    CMPD_FILTER_COMPILE,
    /*
     * For the candidate: a list of what a launcher needs; deeds (deeds.h) are told to the listener;
     * all else fails with ENOSYS, as on a kernel that never heard of it.
     */
    CMPD_FILTER_RUN,
    CMPD_FILTER_RUN_UNWATCHED, /* the same where nobody can listen: deeds fail with EPERM */
    CMPD_FILTER_COUNT
};

/*
 * Made when first asked for (1 ms) and kept: *out is static, its text is the program. Any thread.
 * CMPD_EUNAVAIL.
 */
cmpd_rc cmpd_filter_get(enum cmpd_filter_kind kind, const struct cmpd_buf **out,
                        struct cmpd_err *err);

/* A memory file that holds it, to be read from its start. Caller closes. -1: none (errno). */
int cmpd_filter_file(const struct cmpd_buf *filter);

#endif
