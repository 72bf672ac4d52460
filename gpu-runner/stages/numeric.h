/*
 * What one call's outputs say: were all of them written, with defined values, close enough to the reference; were the
 * inputs left alone; did the device compute them.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_NUMERIC_H
#define CMPD_GPU_RUNNER_STAGES_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "analysis/verdict/tags.h"
#include "gpu-runner/server/server.h"
#include "gpu-runner/stages/call.h"

#define CMPD_NUMERIC_FAULTS_CEILING 8

struct cmpd_numeric_fault {
    enum cmpd_tag tag;
    char *file;    /* owned, NULL: unknown; where the element was stored */
    uint32_t line; /* 0: unknown */
    char *message; /* owned */
    bool whole;    /* output_not_written: nothing at all was written */
};

struct cmpd_numeric {
    bool compared; /* all outputs could be compared */
    bool ok;
    double atol, rtol; /* the widest that an output was held to */
    double max_abs_err, max_rel_err;
    double
        excess; /* of the first wrong element: its difference over what is allowed; 0: none is wrong */
    double relative; /* the same difference over the largest expected value of that output */
    bool nonfinite;
    struct cmpd_numeric_fault faults[CMPD_NUMERIC_FAULTS_CEILING];
    size_t fault_count;
};

struct cmpd_numeric_limits {
    bool has_atol, has_rtol;
    double atol, rtol;
};

/*
 * To be called while the call's device buffers live and cmpd_call_read_device or cmpd_call_take_hosts have been. `host`:
 * look at the host buffers (else at the device's). Errors are the device's.
 */
cmpd_rc cmpd_numeric_judge(struct cmpd_call *c, const struct cmpd_server_record *record, bool host,
                           const struct cmpd_numeric_limits *limits, struct cmpd_numeric *out,
                           struct cmpd_err *err);
/* The same of the entry's own result (its bits), where that is the operator's output. */
void cmpd_numeric_judge_result(struct cmpd_call *c, uint64_t bits,
                               const struct cmpd_numeric_limits *limits, struct cmpd_numeric *n);
void cmpd_numeric_clear(struct cmpd_numeric *n);

/* Bytes that two calls of the same inputs left in their outputs: equal? *message (owned by the caller) where not. */
bool cmpd_numeric_same(const struct cmpd_call *a, const void *const after[], char **message);

#endif
