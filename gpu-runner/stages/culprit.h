/*
 * Where in the file a deed of the host code stands: the process says that it was done, not where. The first call in
 * host code of a function by which such a thing is done; used to place a finding, never to make one.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_CULPRIT_H
#define CMPD_GPU_RUNNER_STAGES_CULPRIT_H

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

#endif
