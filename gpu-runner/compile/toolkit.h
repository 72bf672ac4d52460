/* A CUDA toolkit, by the path of its nvcc. Never looked up in PATH. */
#ifndef CMPD_GPU_RUNNER_TOOLKIT_H
#define CMPD_GPU_RUNNER_TOOLKIT_H

#include "analysis/base/err.h"
#include "analysis/base/sha256.h"

struct cmpd_toolkit {
    char *nvcc;        /* owned; as given */
    char *root;        /* owned; the folder that holds bin/nvcc, links resolved */
    char *version;     /* owned; "13.0.88" */
    char identity[65]; /* of the compiler: version text, nvcc's bytes, its parts' sizes and times,
                          the host compiler */
};

/*
 * CMPD_EUNAVAIL: no such file, not executable, or its --version is not nvcc's; the message says
 * what to install or set. `cache_dir` (NULL: none) remembers the hash of nvcc's bytes while size,
 * time and inode stay the same.
 */
cmpd_rc cmpd_toolkit_open(const char *nvcc, const char *cache_dir, struct cmpd_toolkit *out,
                          struct cmpd_err *err);
void cmpd_toolkit_clear(struct cmpd_toolkit *t); /* safe twice */

#endif
