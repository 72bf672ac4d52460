/* What the two halves of the reader share. Private to this folder. */
#ifndef CMPD_GPU_RUNNER_JOB_EVENTS_READ_H
#define CMPD_GPU_RUNNER_JOB_EVENTS_READ_H

#include "gpu-runner/job/events.h"

/* A member that is a whole number of 32 bits, 0 where it is missing; false: anything else stands there. */
bool cmpd_events_uint32(const json_t *o, const char *key, uint32_t *out);
/* A copy of a member's text, cut to what is kept; NULL: there is none. */
char *cmpd_events_text(const json_t *o, const char *key);

/* Events of the run stage. NULL: read; else what is wrong with it. */
const char *cmpd_events_read_device(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_entry(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_case(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_stage(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_memory(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_tolerance(const json_t *o, struct cmpd_events *e);
const char *cmpd_events_read_program(const json_t *o, struct cmpd_events *e);
void cmpd_events_clear_run(struct cmpd_events *e);

#endif
