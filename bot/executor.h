/*
 * Where a runner is started. Each kind is one file behind one row of one
 * table; all start cmpd-runner with a job on its standard input and give back
 * what it wrote.
 */
#ifndef CMPD_BOT_EXECUTOR_H
#define CMPD_BOT_EXECUTOR_H

#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

struct cmpd_executor_ops {
    const char *name; /* as --executor takes it, up to a colon */
    /*
     * MUST. Runs one job (a line of JSON) to its end and puts the runner's standard output into *out. `where` is what
     * stands behind the colon, NULL without one. CMPD_EUNAVAIL: no runner could be started or it broke off;
     * CMPD_ETIMEOUT: the deadline passed and the runner was ended. Safe in several threads; may be called again for
     * the same job.
     */
    cmpd_rc (*run)(const char *where, const struct cmpd_buf *job, uint64_t deadline_ms,
                   struct cmpd_buf *out, struct cmpd_err *err);
};

/* By the option's value ("local"); NULL where that kind is not built. */
const struct cmpd_executor_ops *cmpd_executor_find(const char *name);

/* The cmpd-runner beside the running cmpd, absolute; caller owns. NULL when this program's own place is unknown. */
char *cmpd_runner_path(void);

#endif
