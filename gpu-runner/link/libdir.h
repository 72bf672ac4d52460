/*
 * Where the programs' own helpers lie: <folder of the executable>/../lib/cmpd, in the build tree and when installed
 * (the same rule as for data files). The environment's CMPD_LIBDIR overrides it.
 */
#ifndef CMPD_GPU_RUNNER_LINK_LIBDIR_H
#define CMPD_GPU_RUNNER_LINK_LIBDIR_H

#include "analysis/base/err.h"

#define CMPD_LIBDIR_CANDIDATE "cmpd-candidate"
#define CMPD_LIBDIR_CUDART    "libcudart.so.13"
#define CMPD_LIBDIR_DSO \
    "dso.o" /* what the compiler driver links into every shared library, in one object */

/* Absolute path, links followed; the caller frees it. CMPD_ENOENT: not installed. CMPD_EINTERNAL: own place unknown. */
cmpd_rc cmpd_libdir_path(const char *name, char **out, struct cmpd_err *err);

#endif
