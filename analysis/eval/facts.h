/*
 * What running the file's launchers and kernels with concrete numbers showed:
 * faults, each with its witness (grid, block, inputs, thread, element). Rules
 * turn them into findings. A fault at tier REJECT was seen to happen under the
 * launches and preconditions of the file; one at REVIEW hangs on a number that
 * the file does not settle.
 */
#ifndef CMPD_ANALYSIS_EVAL_FACTS_H
#define CMPD_ANALYSIS_EVAL_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/ir/ir.h"
#include "analysis/verdict/policy.h"
#include "analysis/verdict/tags.h"

struct cmpd_fault {
    enum cmpd_tag tag; /* the reason tag that it stands for */
    enum cmpd_tier proven;
    struct ir_loc at;
    const struct ir_func *kernel; /* may be NULL */
    const char *message;          /* one sentence with the witness; in the arena */
    const char *hint;             /* may be NULL */
};

/* One place that launches a kernel of the file. */
struct cmpd_launch_fact {
    const struct ir_expr *expr;
    const struct ir_func *kernel;
    bool evaluated; /* the kernel was run for it, completely, at least once */
};

struct cmpd_facts {
    struct cmpd_fault *faults;
    size_t fault_count, fault_cap;
    struct cmpd_launch_fact *launches;
    size_t launch_count;
    bool cut;       /* the budget ended the work: what is missing is not proven absent */
    uint64_t steps; /* lane operations spent */
};

/* Never fails; the arena owns the result. */
struct cmpd_facts *cmpd_facts_build(const struct ir_module *module,
                                    const struct cmpd_policy *policy, struct cmpd_arena *arena);

#endif
