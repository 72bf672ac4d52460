/*
 * One entry of the host code, run again and again with other inputs; and what
 * was seen. Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_ROOT_H
#define CMPD_ANALYSIS_EVAL_ROOT_H

#include "analysis/eval/facts.h"
#include "analysis/eval/inputs.h"
#include "analysis/eval/watch.h"

/* Host steps after which no more is probed. */
enum { PROBE_STEPS_MAX = 400000 };
enum { RUNS_MAX = 40, LAUNCHES_MAX = 48, SIGHTINGS_MAX = 64 };

/* A launch as one run reached it, in order of execution. */
struct ev_launch_run {
    const struct ir_expr *expr;
    const struct ir_func *kernel; /* NULL: not of this file */
    struct ev_dims grid, block;   /* -1: unknown */
    int64_t shared_bytes;         /* -1: unknown */
    const struct ir_loc *grid_at; /* where the grid is computed: its variable, else the launch */
    bool certain, evaluated, complete;
    struct ev_product products[WATCH_PRODUCTS];
    size_t product_count;
    const struct ev_compare *compares; /* in keep */
    size_t compare_count;
};

struct ev_run {
    int64_t values[INPUTS_MAX];
    size_t varied;  /* index of the input that differs from the usual, SIZE_MAX: none */
    bool probe;     /* host code only */
    bool swap_grid; /* grid x and y exchanged at every launch */
    bool valid;     /* reached the end without a failed check */
    struct ev_launch_run *launches;
    size_t launch_count;
    struct ev_region_table *regions;
};

struct ev_seen { /* a sighting over all runs */
    struct ev_sighting first;
    const struct ir_expr *launch;
    uint64_t runs;  /* bit a run */
    bool uncertain; /* the launch itself was behind an unknown condition */
};

struct ev_root {
    const struct ir_module *module;
    const struct cmpd_policy *policy;
    const struct ir_func *func;
    struct cmpd_facts *facts;
    struct cmpd_arena *arena;                /* the facts' */
    struct cmpd_arena *keep, *temp, *frames; /* see machine.h */
    struct ev_inputs inputs;
    struct ev_run runs[RUNS_MAX];
    size_t run_count;
    struct ev_run *run; /* the one being made */
    struct ev_seen seen[SIGHTINGS_MAX];
    size_t seen_count;
    uint64_t step_limit, steps;
    uint64_t host_steps;   /* of them in host code: bounds the probing */
    struct ev_memo *memos; /* the file's: see machine.h */
    bool padding;          /* comments speak of padded buffers */
};

/* run.c: run the root once with run->values. */
void ev_run_root(struct ev_root *root, struct ev_run *run);

/* Evaluate one launch of a kernel of the file (used for launches reached and for assumed ones). */
struct ev_kernel_job {
    const struct ir_expr *launch; /* NULL: assumed */
    const struct ir_func *kernel;
    struct ev_dims grid, block;
    int64_t shared_bytes;
    const struct ev_val *args;
    size_t arg_count;
    const struct ir_targ *targs;
    size_t targ_count;
    struct ev_frame *frame; /* for template arguments; may be NULL */
    bool certain;
};
void ev_run_kernel(struct ev_root *root, struct ev_region_table *regions,
                   const struct ev_kernel_job *job, struct ev_launch_run *out);

/* probe.c: find the inputs, their roles and the runs worth making. */
void ev_plan_runs(struct ev_root *root);

/* fit.c: compare the runs and report what they show of threads against data. */
void ev_judge_index_space(struct ev_root *root);

/* products.c: suspicious index arithmetic; bounds that no thread reaches. true: told. */
bool ev_judge_products(struct ev_root *root);
void ev_judge_bounds(struct ev_root *root);
/* The comparison that stands at `at`, as a launch of the run met it (launch NULL: any); NULL: none. */
const struct ev_compare *ev_find_compare(const struct ev_run *run, const struct ir_expr *launch,
                                         const struct ir_expr *at);
/* The first index below the bound that no thread had; -1: none, or too many to tell. */
int64_t ev_compare_hole(const struct ev_compare *c);

/* judge.c: launch limits, unused dimensions, and the sightings of the runs. */
void ev_judge_launches(struct ev_root *root);
void ev_judge_sightings(struct ev_root *root);
void ev_record_sighting(struct ev_root *root, struct ev_machine *m, const struct ev_sighting *s,
                        const struct ir_expr *launch, bool certain);

/* copies.c: directions and sizes of copies, heard while the host code runs. */
void ev_judge_copy(struct ev_root *root, struct ev_machine *m, const struct ir_expr *call,
                   const char *name, const struct ev_val *args, size_t arg_count);

/* facts.c */
void ev_add_fault(struct cmpd_facts *facts, struct cmpd_arena *arena, enum cmpd_tag tag,
                  enum cmpd_tier tier, const struct ir_loc *at, const struct ir_func *kernel,
                  const char *hint, const char *fmt, ...) __attribute__((format(printf, 8, 9)));

/* "n = 1000, m = 77" of a run, only inputs that launches hang on first; in the arena. */
const char *ev_run_inputs_text(struct ev_root *root, const struct ev_run *run);
const char *ev_launch_text(struct ev_root *root, const struct ev_dims *grid,
                           const struct ev_dims *block);
/* Is this input's range settled well enough that a value of it is a witness? */
bool ev_input_is_free(const struct ev_input *in);

#endif
