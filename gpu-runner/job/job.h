/*
 * The job: what a runner reads from its standard input (schema cmpd.job.v1, see PROTOCOL.md and
 * config/schema/job.schema.json). One line of JSON, one file to judge.
 */
#ifndef CMPD_GPU_RUNNER_JOB_H
#define CMPD_GPU_RUNNER_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/verdict/policy.h"

#define CMPD_JOB_SCHEMA           "cmpd.job.v1"
#define CMPD_JOB_CEILING_BYTES    ((size_t)1 << 20)
#define CMPD_JOB_TOOLKITS_CEILING 16
#define CMPD_NONCE_CEILING        128 /* characters */

struct cmpd_job {
    char *nonce;            /* owned; printable; comes back in the end record */
    char *root;             /* owned; absolute: the repository, or the folder of a single file */
    char *file;             /* owned; relative to root, without ".." */
    struct cmpd_nvcc *nvcc; /* owned; each must compile the file */
    size_t nvcc_count;      /* at least 1 */
    bool compile;           /* stages: "compile" */
    bool cache;             /* default true */
    bool lifeline;          /* default true: the end of standard input cancels the work */
};

/*
 * CMPD_EINPUT: not JSON, a wrong key, type or value (the message names it); CMPD_ELIMIT: too long.
 * All strings are checked as the policy's are: the sender may have been fooled.
 */
cmpd_rc cmpd_job_parse(const char *text, size_t len, struct cmpd_job **out, struct cmpd_err *err);
void cmpd_job_free(struct cmpd_job *job);

/* One line with its end. CMPD_EINPUT where a string is not UTF-8 (JSON can't hold it). */
cmpd_rc cmpd_job_encode(const struct cmpd_job *job, struct cmpd_buf *out, struct cmpd_err *err);

#endif
