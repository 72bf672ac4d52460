/* One job from start to end record. */
#ifndef CMPD_GPU_RUNNER_WORK_H
#define CMPD_GPU_RUNNER_WORK_H

#include "analysis/base/err.h"
#include "gpu-runner/job/job.h"

/*
 * Writes the events to `out`. CMPD_OK: the end record was written. CMPD_EUNAVAIL: cancelled
 * (cancel_fd), nothing counts; CMPD_EIO: nobody reads; errors of cmpd_compile_run for a file that
 * can't be read.
 */
cmpd_rc cmpd_work(const struct cmpd_job *job, int out, int cancel_fd, struct cmpd_err *err);

#endif
