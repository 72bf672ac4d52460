/* The run stage, inside: what its parts share. Not for other folders. */
#ifndef CMPD_GPU_RUNNER_STAGES_RUN_H
#define CMPD_GPU_RUNNER_STAGES_RUN_H

#include "gpu-runner/device/device.h"
#include "gpu-runner/entry/bind.h"
#include "gpu-runner/server/server.h"
#include "gpu-runner/stages/call.h"
#include "gpu-runner/stages/candidate.h"
#include "gpu-runner/stages/device_code.h"
#include "gpu-runner/stages/findings.h"
#include "gpu-runner/stages/numeric.h"
#include "gpu-runner/stages/plan.h"
#include "gpu-runner/stages/stage.h"

struct cmpd_ownref;

/* Of a case that a later one repeats: its outputs, and its memory on the device, which that one gets again. */
struct cmpd_run_kept {
    void *after[CMPD_SIG_PARAMS_CEILING];      /* owned */
    uint64_t address[CMPD_SIG_PARAMS_CEILING]; /* owned; 0: none, or handed on */
    bool kept;
};

struct cmpd_run {
    const struct cmpd_stage_request *q;
    const struct cmpd_job_run *job;
    const struct cmpd_ref_op *op; /* NULL: a whole program */
    struct cmpd_ownref *own;      /* owned; the user's own reference, NULL: none */
    struct cmpd_binding binding;
    struct cmpd_device *device;
    struct cmpd_stage_findings findings;
    struct cmpd_device_code code;
    uint64_t entry_offset; /* of the entry in the linked library */
    char *library;         /* owned; path of the linked candidate */
    char *work;            /* owned; private folder */

    enum cmpd_bind_side side[CMPD_SIG_PARAMS_CEILING];
    struct cmpd_plan plan;
    struct cmpd_run_kept *kept; /* owned; one for each case of the plan as it was made */
    size_t kept_count;
    size_t at;         /* the next case */
    unsigned restarts; /* of the candidate, after it refused a shape */
    bool again;        /* start it again for the cases that are left */
    unsigned probes;   /* calls to see which pointers are the device's */
    bool stop;         /* no further cases: they would tell nothing */

    struct cmpd_call call; /* of the open case */
    bool open;
    struct cmpd_numeric numeric;
    char replay[256]; /* arguments that bring the open case back */

    size_t
        near_miss; /* case whose mismatch is tried again with other last bits; CMPD_PLAN_NO_REPEAT: none */

    bool undecided;          /* something kept a case from being judged (a finding says what) */
    double atol, rtol;       /* the widest tolerance of all cases */
    size_t compared, failed; /* cases */
    uint64_t launches, lane_instructions;
};

enum cmpd_run_mode { CMPD_RUN_CASES, CMPD_RUN_MAIN, CMPD_RUN_PROBE };

/* ---- case.c: one case from its inputs to its verdict ---- */

/* The next case is made ready. *more false: none is left. */
cmpd_rc cmpd_run_begin(struct cmpd_run *r, struct cmpd_server_case *out, bool *more,
                       struct cmpd_err *err);
/* The entry has returned: look at what the device holds. */
cmpd_rc cmpd_run_joined(struct cmpd_run *r, const struct cmpd_server_record *record,
                        struct cmpd_err *err);
/* All is known: findings and the case's event; the call is cleared. */
cmpd_rc cmpd_run_done(struct cmpd_run *r, const struct cmpd_server_record *record,
                      struct cmpd_err *err);
/* A case that did not come to its end: what its record says. */
/* refused: before it launched anything, by its own choice. */
void cmpd_run_broken_off(struct cmpd_run *r, const struct cmpd_server_record *record, bool refused);

/* The open case is dropped and will be begun again. */
void cmpd_run_forget(struct cmpd_run *r);
/* A whole program's record. */
void cmpd_run_program_done(struct cmpd_run *r, const struct cmpd_server_record *record);

/* ---- launcher.c, kernel.c: the ways to call ---- */

cmpd_rc cmpd_run_launcher(struct cmpd_run *r, struct cmpd_err *err);
cmpd_rc cmpd_run_kernel(struct cmpd_run *r, const void *object, size_t len, struct cmpd_err *err);
cmpd_rc cmpd_run_program(struct cmpd_run *r, struct cmpd_err *err);

/* ---- outcome.c ---- */

/* How the candidate process ended, where that was not in order. */
void cmpd_run_outcome(struct cmpd_run *r, enum cmpd_run_mode mode,
                      const struct cmpd_server_outcome *o, const struct cmpd_candidate_end *end);

/* Source line for a fault that belongs to the launch as a whole: the only launch of that kernel in the file, else 0. */
/* A kernel that ran and left its output untouched: its first store, else where it begins. */
uint32_t cmpd_run_kernel_line(const struct cmpd_run *r, const struct cmpd_server_record *record);
/* The line of the entry. */
uint32_t cmpd_run_failed_line(const struct cmpd_run *r);
uint32_t cmpd_run_launch_line(const struct cmpd_run *r, const struct cmpd_server_record *record);

#endif
