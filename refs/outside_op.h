/* Internal to refs/: what cmpd_outside_open makes. */
#ifndef CMPD_REFS_OUTSIDE_OP_H
#define CMPD_REFS_OUTSIDE_OP_H

#include "analysis/base/arena.h"
#include "refs/outside.h"

enum outside_values {
    OUTSIDE_MIXED,
    OUTSIDE_POSITIVE,
    OUTSIDE_RANGE, /* lo .. hi */
    OUTSIDE_BELOW, /* 0 .. dimension - 1, whole */
    OUTSIDE_FIXED, /* a scalar that always has its default */
};

struct outside_fill {
    enum outside_values values;
    double lo, hi;
    char *below; /* name of a dimension; in the arena */
};

struct outside_op {
    struct cmpd_ref_op op; /* first, so that the operator's address is this one's */
    struct cmpd_outside_how how;
    struct cmpd_arena arena; /* all strings */
    struct cmpd_ref_arg args[CMPD_REF_ARGS_CEILING];
    struct outside_fill fills[CMPD_REF_ARGS_CEILING];
    size_t arg_count, dim_count;
    struct cmpd_ref_case cases[CMPD_OUTSIDE_CASES_CEILING];
    size_t case_count;
    enum cmpd_dtype dtypes[CMPD_DTYPE_COUNT];
    size_t dtype_count;
    struct cmpd_tolerance tolerances[CMPD_DTYPE_COUNT];
    bool has_tolerance[CMPD_DTYPE_COUNT];
};

void outside_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed);

#endif
