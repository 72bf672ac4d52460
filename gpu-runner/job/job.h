/*
 * The job: what a runner reads from its standard input (schema cmpd.job.v1, see PROTOCOL.md and
 * config/schema/job.schema.json). One line of JSON, one file to judge.
 */
#ifndef CMPD_GPU_RUNNER_JOB_H
#define CMPD_GPU_RUNNER_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/signature/signature.h"
#include "analysis/verdict/policy.h"

#define CMPD_JOB_SCHEMA           "cmpd.job.v1"
#define CMPD_JOB_CEILING_BYTES    ((size_t)1 << 20)
#define CMPD_JOB_TOOLKITS_CEILING 16
#define CMPD_JOB_CASES_CEILING    200
#define CMPD_JOB_DIMS_CEILING     8
#define CMPD_NONCE_CEILING        128 /* characters */

/* Who says which operator the file implements. */
enum cmpd_op_source {
    CMPD_OP_NONE,
    CMPD_OP_POLICY,
    CMPD_OP_OPTION,
    CMPD_OP_COMMENT, /* `// cmpd: op=NAME`, where it may be trusted */
    CMPD_OP_INFERRED, /* from names, or a comment that the change under review brings: op_unconfirmed */
};
const char *cmpd_op_source_name(enum cmpd_op_source s); /* "policy"; NONE: "none" */

enum cmpd_reference_kind {
    CMPD_REFERENCE_BUILTIN, /* refs/ */
    CMPD_REFERENCE_FILE,    /* a C file with the operator interface; path relative to root */
    CMPD_REFERENCE_COMMAND, /* a program that gets and gives .npy files */
};

struct cmpd_job_dim {
    char *name; /* owned */
    int64_t value;
};

/* A shape of the policy's. */
struct cmpd_job_case {
    struct cmpd_job_dim *dims; /* owned */
    size_t dim_count;
    char *inputs; /* owned; named input set, NULL: the operator's default */
    char *dtype;  /* owned; NULL: the run's */
};

/* The run stage: what to call, what to compare it with, where. */
struct cmpd_job_run {
    char *device; /* owned; "auto", "gpu", "emulator" */
    char *op;     /* owned; NULL: not known */
    enum cmpd_op_source op_source;
    char *entry;         /* owned; NULL: to be found */
    bool entry_required; /* policy or --entry names it */
    struct cmpd_strings args;
    char *dtype;                 /* owned; NULL: by the signature */
    struct cmpd_job_case *cases; /* owned; none: the operator's own */
    size_t case_count;
    bool has_atol, has_rtol;
    double atol, rtol;                 /* valid where has_ */
    char *grid, *block, *shared;       /* owned; formulas of the policy's launch, NULL each: none */
    struct cmpd_signatures signatures; /* of the file */
    uint64_t budget;                   /* lane instructions a case; 0: the device's default */
    bool has_seed;
    uint64_t seed;     /* valid where has_seed; else the runner draws one */
    uint32_t schedule; /* 0: the plain order */
    char *only_case;   /* owned; replay: this case alone; NULL: all */
    enum cmpd_reference_kind reference;
    char *reference_path; /* owned; FILE and COMMAND */
    bool program;         /* the file is run as a whole program, with argv; no operator */
    struct cmpd_strings argv;
};

struct cmpd_job {
    char *nonce;              /* owned; printable; comes back in the end record */
    char *root;               /* owned; absolute: the repository, or the folder of a single file */
    char *file;               /* owned; relative to root, without ".." */
    struct cmpd_nvcc *nvcc;   /* owned; each must compile the file */
    size_t nvcc_count;        /* at least 1 */
    bool compile;             /* stages: "compile" */
    struct cmpd_job_run *run; /* owned; stages: "run"; NULL: compile only */
    bool cache;               /* default true */
    enum cmpd_jail_kind jail; /* default auto: no jail, no run; none: without one */
    bool lifeline;            /* default true: the end of standard input cancels the work */
};

/*
 * CMPD_EINPUT: not JSON, a wrong key, type or value (the message names it); CMPD_ELIMIT: too long.
 * All strings are checked as the policy's are: the sender may have been fooled.
 */
cmpd_rc cmpd_job_parse(const char *text, size_t len, struct cmpd_job **out, struct cmpd_err *err);
void cmpd_job_free(struct cmpd_job *job);

/* The run part from its JSON object, checked as in a whole job. CMPD_EINPUT. Free it. */
cmpd_rc cmpd_job_run_read(const json_t *o, struct cmpd_job_run **out, struct cmpd_err *err);
void cmpd_job_run_free(struct cmpd_job_run *run);

/* One line with its end. CMPD_EINPUT where a string is not UTF-8 (JSON can't hold it). */
cmpd_rc cmpd_job_encode(const struct cmpd_job *job, struct cmpd_buf *out, struct cmpd_err *err);

#endif
