/* What the parts of the job's reader and writer share. Private to this folder. */
#ifndef CMPD_GPU_RUNNER_JOB_JOB_READ_H
#define CMPD_GPU_RUNNER_JOB_JOB_READ_H

#include <jansson.h>

#include "gpu-runner/job/job.h"

/* The next step, where all was right so far; needs a `cmpd_rc rc`. */
#define STEP(call)     \
    if (rc == CMPD_OK) \
    rc = (call)

cmpd_rc cmpd_job_bad(struct cmpd_err *err, const char *key, const char *why);
/* `where`: " in nvcc" or "". */
cmpd_rc cmpd_job_only_keys(const json_t *o, const char *const *keys, const char *where,
                           struct cmpd_err *err);
/* A string of a policy's form ("": any); `def` NULL: required. *out owned. */
cmpd_rc cmpd_job_string(const json_t *o, const char *key, const char *form, const char *def,
                        char **out, struct cmpd_err *err);
/* The same, NULL where it is missing. */
cmpd_rc cmpd_job_maybe_string(const json_t *o, const char *key, const char *form, char **out,
                              struct cmpd_err *err);
cmpd_rc cmpd_job_strings(const json_t *o, const char *key, const char *form,
                         struct cmpd_strings *out, struct cmpd_err *err);
cmpd_rc cmpd_job_uint32(const json_t *o, const char *key, json_int_t least, json_int_t most,
                        uint32_t def, uint32_t *out, struct cmpd_err *err);
cmpd_rc cmpd_job_bool(const json_t *o, const char *key, bool def, bool *out, struct cmpd_err *err);
cmpd_rc cmpd_job_one_of(const char *value, const char *const *values, const char *key,
                        struct cmpd_err *err);
void cmpd_job_strings_clear(struct cmpd_strings *l);
json_t *cmpd_job_strings_json(const struct cmpd_strings *l);
/* Nothing where value is NULL. */
void cmpd_job_set_string(json_t *o, const char *key, const char *value);

/* ---- job_run.c ---- */

/* `wanted`: stages name it. Then the object must be there, else it must not. */
cmpd_rc cmpd_job_read_run(const json_t *o, bool wanted, struct cmpd_job_run **out,
                          struct cmpd_err *err);
json_t *cmpd_job_run_json(const struct cmpd_job_run *run);

#endif
