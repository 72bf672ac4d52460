/* What the jail looks like from inside: bubblewrap's arguments and the files handed in. */
#ifndef CMPD_GPU_RUNNER_JAIL_LAYOUT_H
#define CMPD_GPU_RUNNER_JAIL_LAYOUT_H

#include <sys/types.h>

#include "gpu-runner/jail/jail.h"

struct cmpd_jail_layout {
    char **argv; /* owned, NULL-terminated once finished */
    size_t count, cap;
    int *fds; /* owned; become descriptors first_fd, first_fd + 1, ... */
    size_t fd_count, fd_cap;
    size_t first_fd;
    bool other_user;     /* the program's user is another than ours */
    bool closes_sources; /* set while building: `sources` is filled file by file */
};

/*
 * All but bwrap's own path in argv[0], which the caller has put there, up to "--" and the program.
 * `first_fd`: number that the first file handed in will have. CMPD_EUNAVAIL: the jail's user can't
 * reach a folder (named). CMPD_EIO: a file can't be read.
 */
cmpd_rc cmpd_layout_build(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                          struct cmpd_err *err);
void cmpd_layout_arg(struct cmpd_jail_layout *l, const char *s); /* copied */
void cmpd_layout_clear(struct cmpd_jail_layout *l);              /* closes fds; safe twice */

/*
 * The user that the jail's programs become; 0: they stay ours. Only root changes, and not a "root"
 * of a user namespace in which there are no others: outside that is a user like any other. Each
 * attempt gives another one.
 */
uid_t cmpd_layout_uid(unsigned attempt);

/* May any user do `mode` (R_OK, X_OK) with it, and enter all folders above it? */
bool cmpd_layout_open_to_all(const char *path, int mode);

#endif
