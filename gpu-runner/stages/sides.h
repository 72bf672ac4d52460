/*
 * Device pointer or host pointer? Where the text does not tell, the entry is called once with host buffers, and what
 * it does with their addresses is looked at: one that reaches a kernel as an argument was meant to be a device pointer.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_SIDES_H
#define CMPD_GPU_RUNNER_STAGES_SIDES_H

#include <stdbool.h>

#include "gpu-runner/stages/run.h"

/* Does the text leave any open? Fills r->side with what it says, HOST for the open ones. */
bool cmpd_sides_open(struct cmpd_run *r);

/* From the record of a call in which the open ones were host buffers. */
void cmpd_sides_settle(struct cmpd_run *r, const struct cmpd_server_record *record);

#endif
