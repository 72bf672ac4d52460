/*
 * The candidate's process: our candidate program with the linked library in it, held in a jail, at the other end of a
 * socket pair. It runs in a thread of its own here, since the jail waits for it.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_CANDIDATE_H
#define CMPD_GPU_RUNNER_STAGES_CANDIDATE_H

#include <stdbool.h>

#include "analysis/base/err.h"
#include "gpu-runner/jail/jail.h"

struct cmpd_candidate;

struct cmpd_candidate_spec {
    const struct cmpd_jail_ops *jail;
    const char *library;     /* the linked object, absolute */
    const char *const *argv; /* for a whole program; NULL: none */
    size_t argc;
    uint64_t deadline_ms; /* wall clock of the whole process */
};

struct cmpd_candidate_end {
    cmpd_rc rc;          /* CMPD_OK: it ran, the rest counts */
    struct cmpd_err err; /* why not */
    struct cmpd_proc_result process;
    struct cmpd_jail_report report;
};

/* *fd: our end of the socket pair, the candidate's until finish. CMPD_EUNAVAIL: parts are missing. */
cmpd_rc cmpd_candidate_start(const struct cmpd_candidate_spec *spec, struct cmpd_candidate **out,
                             int *fd, struct cmpd_err *err);
/* Kills it where it still runs (`kill`), else waits for its end. Frees c. Clear `end` with the function below. */
void cmpd_candidate_finish(struct cmpd_candidate *c, bool kill, struct cmpd_candidate_end *end);
void cmpd_candidate_end_clear(struct cmpd_candidate_end *end);

#endif
