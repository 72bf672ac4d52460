/*
 * A reference of the user's own: a C file (refs/cmpd_reference.h) that is compiled here, or a command that reads and
 * writes .npy files (refs/outside.h). Either runs in the jail, in a process of its own for each call.
 *
 * The files are read from `root`, which in a review is the base revision's: the change can't alter its judge.
 */
#ifndef CMPD_GPU_RUNNER_OWNREF_H
#define CMPD_GPU_RUNNER_OWNREF_H

#include "gpu-runner/jail/jail.h"
#include "gpu-runner/job/job.h"
#include "refs/outside.h"

struct cmpd_ownref_request {
    enum cmpd_reference_kind kind; /* FILE or COMMAND */
    const char *root;              /* absolute; the program may read it. Borrowed until close */
    const char *path; /* relative to root. A command is one file; it must be executable */
    const struct cmpd_jail_ops *jail;
    int cancel_fd;        /* -1: none */
    uint64_t deadline_ms; /* of each start of the program; 0: 60 s */
};

struct cmpd_ownref;

/*
 * Compiles the file, asks it what it is. CMPD_EINPUT: it does not compile, or the program failed or gave a wrong answer
 * (the message has the first error); CMPD_ENOENT: no such file; CMPD_EUNAVAIL: no C compiler, no jail.
 */
cmpd_rc cmpd_ownref_open(const struct cmpd_ownref_request *q, struct cmpd_ownref **out,
                         struct cmpd_err *err);
/* Borrowed until close. Calls of cmpd_ref_compute with it are made one at a time. */
const struct cmpd_ref_op *cmpd_ownref_op(const struct cmpd_ownref *r);
void cmpd_ownref_close(struct cmpd_ownref *r); /* NULL is fine */

#endif
