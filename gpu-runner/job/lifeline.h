/*
 * What ends a job early: the end of standard input (the one who asked is gone) and SIGTERM, SIGINT,
 * SIGHUP. A thread waits for them; cancel_fd becomes readable then, which is what the subprocess
 * helper waits on.
 */
#ifndef CMPD_GPU_RUNNER_LIFELINE_H
#define CMPD_GPU_RUNNER_LIFELINE_H

#include <stdbool.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

struct cmpd_lifeline {
    int cancel_fd; /* owned; readable: cancel */
    int signal_fd; /* owned */
    int signal;    /* the signal that came, 0: none; read it once cancelled */
};

/* Blocks the three signals in this thread and those it starts. Call first, before any thread. */
cmpd_rc cmpd_lifeline_open(struct cmpd_lifeline *l, struct cmpd_err *err);

/*
 * Reads one line from standard input. CMPD_EINPUT: it ended before the line did; CMPD_ELIMIT: over
 * the ceiling; CMPD_EUNAVAIL: a signal came first.
 */
cmpd_rc cmpd_lifeline_read_line(struct cmpd_lifeline *l, size_t ceiling, struct cmpd_buf *out,
                                struct cmpd_err *err);

/* Starts to watch: signals, and standard input where `input` is set. */
cmpd_rc cmpd_lifeline_watch(struct cmpd_lifeline *l, bool input, struct cmpd_err *err);

#endif
