/*
 * Which shapes, inputs and orders one file is run with: the policy's cases or the operator's own that fit the entry,
 * one shape drawn at run time, and repeats that show whether a result hangs on the order of threads, on what memory
 * held before, or on how often the entry was called.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_PLAN_H
#define CMPD_GPU_RUNNER_STAGES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "gpu-runner/entry/bind.h"
#include "gpu-runner/job/job.h"
#include "gpu-runner/stages/contract.h"
#include "refs/ref.h"

/* So many calls at least: hosts that count their calls and stop working after a few are known. */
#define CMPD_PLAN_CALLS_MIN  8
#define CMPD_PLAN_CALLS_MAX  64
#define CMPD_PLAN_NAME_BYTES 96
#define CMPD_PLAN_NO_REPEAT  SIZE_MAX

struct cmpd_plan_case {
    char name[CMPD_PLAN_NAME_BYTES]; /* "n=31"; of a repeat: that of the case it repeats */
    struct cmpd_dims dims;
    enum cmpd_dtype dtype;
    char inputs[32];   /* named input set, "" for the operator's default */
    uint64_t seed;     /* of the inputs */
    uint32_t schedule; /* 0: the plain order */
    uint32_t jitter_ulp;
    uint8_t poison; /* what outputs hold before */
    size_t repeats; /* index of the case whose inputs this one has too, CMPD_PLAN_NO_REPEAT: none */
    size_t place;   /* index of the case whose device memory this one gets; none as above */
};

struct cmpd_plan {
    struct cmpd_plan_case *items; /* owned */
    size_t count, cap;
    uint64_t seed; /* from which all is drawn */
};

/*
 * CMPD_EINPUT: no case fits (the message says why: a policy's shape that the operator or the entry can't have, a case
 * to be replayed that does not exist). `large`: the device takes the large cases too. `contract`: what the file's comments
 * demand; the operator's own shapes are brought inside of it (NULL: nothing is demanded).
 */
cmpd_rc cmpd_plan_make(const struct cmpd_job_run *run, const struct cmpd_ref_op *op,
                       const struct cmpd_binding *binding, const struct cmpd_contract *contract,
                       bool large, struct cmpd_plan *out, struct cmpd_err *err);
void cmpd_plan_clear(struct cmpd_plan *p);

/* Adds a case that repeats case `i` under jitter: to see whether a mismatch hangs on the last bits. */
void cmpd_plan_add_jittered(struct cmpd_plan *p, size_t i, uint32_t ulp);

#endif
