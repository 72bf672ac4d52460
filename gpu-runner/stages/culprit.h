/*
 * Where in the file a deed of the host code stands: the process says that it was done, not where. The first call in
 * host code of a function by which such a thing is done; used to place a finding, never to make one.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_CULPRIT_H
#define CMPD_GPU_RUNNER_STAGES_CULPRIT_H

#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/jail/jail.h"

enum cmpd_culprit {
    CMPD_CULPRIT_FILE,
    CMPD_CULPRIT_NETWORK,
    CMPD_CULPRIT_PROCESS,
    CMPD_CULPRIT_SYSTEM,
    CMPD_CULPRIT_THREADS,
    CMPD_CULPRIT_LIBRARY, /* lets a library do the work */
    CMPD_CULPRIT_END,     /* the process ends itself */
};

enum cmpd_culprit cmpd_culprit_of(enum cmpd_jail_deed_kind kind);

/* 1-based; 0: no such call, or the file can't be read. `root` absolute, `file` relative to it. */
uint32_t cmpd_culprit_line(const char *root, const char *file, enum cmpd_culprit what);

/*
 * The first call of one of these functions ("cublasSgemm_v2", "ns::f"; the versions that a header's macro adds may be
 * missing in the text), one that does the work before one that makes, sets or frees a handle. 0 as above.
 */
uint32_t cmpd_culprit_call_line(const char *root, const char *file, const char *const functions[],
                                size_t count);

/* The first cudaMemcpy or cudaMemcpyAsync whose destination begins with this name. 0 as above. */
uint32_t cmpd_culprit_copy_line(const char *root, const char *file, const char *destination);

#endif
