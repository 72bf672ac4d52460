/* The seccomp filters, as programs for the kernel. Built anew each time: 0.3 ms. */
#ifndef CMPD_GPU_RUNNER_JAIL_FILTER_H
#define CMPD_GPU_RUNNER_JAIL_FILTER_H

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

/*
 * For nvcc and its tools: all is allowed but what no compiler needs (sockets other than AF_UNIX,
 * tracing, mounts, namespaces, keys, bpf, io_uring, terminal input, ...), which fails with EPERM.
 */
cmpd_rc cmpd_filter_compile(struct cmpd_buf *out, struct cmpd_err *err);

/*
 * For the candidate: a list of what a launcher needs; deeds (deeds.h) are told to the listener
 * (`watching`) or fail; all else fails with ENOSYS, as on a kernel that never heard of it.
 */
cmpd_rc cmpd_filter_run(bool watching, struct cmpd_buf *out, struct cmpd_err *err);

/* A sealed memory file that holds it, to be read from its start. Caller closes. -1: none (errno). */
int cmpd_filter_file(const struct cmpd_buf *filter);

#endif
