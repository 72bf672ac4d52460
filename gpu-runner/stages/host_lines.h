/*
 * From addresses in the candidate's library to lines of the file: addr2line of binutils, in the jail, over the line
 * table that the host compiler wrote. Asked once, for all findings that host code gave rise to.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_HOST_LINES_H
#define CMPD_GPU_RUNNER_STAGES_HOST_LINES_H

#include "gpu-runner/jail/jail.h"
#include "gpu-runner/stages/findings.h"

/*
 * Fills in the line of each finding that has none and knows where host code stood: the innermost place that lies in the
 * judged file. What can't be resolved stays as it is; never an error. `library` lies in `work`.
 */
void cmpd_host_lines_resolve(struct cmpd_stage_findings *f, const char *library, const char *work,
                             const struct cmpd_jail_ops *jail, int cancel_fd);

/* For tests: takes addr2line's output (-a -i) for the addresses asked, in their order, and fills in lines. */
void cmpd_host_lines_read(const char *text, const char *file, size_t count, uint32_t lines[]);

#endif
