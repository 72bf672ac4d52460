/* A private folder that is removed with all that was put into it. */
#ifndef CMPD_GPU_RUNNER_WORKDIR_H
#define CMPD_GPU_RUNNER_WORKDIR_H

#include "analysis/base/err.h"

/* Below TMPDIR, else /tmp; mode 0700. *out: absolute path, caller owns. CMPD_EIO. */
cmpd_rc cmpd_workdir_make(char **out, struct cmpd_err *err);

/* Removes the tree; follows no link. What can't be removed stays. */
void cmpd_workdir_remove(const char *path);

#endif
