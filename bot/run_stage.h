/* The run stage seen from the front: what the job asks for, and what its answer comes to. */
#ifndef CMPD_BOT_RUN_STAGE_H
#define CMPD_BOT_RUN_STAGE_H

#include "bot/judge.h"
#include "gpu-runner/job/events.h"
#include "gpu-runner/job/job.h"

/*
 * *out: what to run (cmpd_job_run_free); NULL: nothing of the file can be called, or nobody asks for it. CMPD_EINPUT:
 * the policy's words for it can't be used (message says which); CMPD_ELIMIT: the file is nested too deeply.
 */
cmpd_rc cmpd_run_part(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                      const char *rel_path, struct cmpd_job_run **out, struct cmpd_err *err);

/* How long it may take, beside compiling. */
uint64_t cmpd_run_deadline_ms(const struct cmpd_job_run *run);

/* Device, cases and stages into the result's details. */
void cmpd_run_details(struct cmpd_file_result *r, const struct cmpd_events *e);

/*
 * The file compiled and `run` was asked for: whether what the policy requires is decided. Adds what has to be said
 * where it is not, and the note on speed.
 */
void cmpd_run_settle(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                     const struct cmpd_job_run *run, const struct cmpd_events *e);

/* "cmpd replay FILE --op ... --case ...", from a finding's arguments; NULL stays NULL. Owned. */
char *cmpd_run_replay(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                      const char *arguments);

#endif
