/* y = min(max(x, lo), hi). */
#include <math.h>

#include "refs/op.h"

enum { X, Y, N, ROWS, COLS, LO, HI };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "n"),
    REF_OUT("y", REF_NAMES_Y, "n"),
    REF_N_OR_MATRIX,
    {.name = "lo",
     .role = CMPD_ROLE_SCALAR,
     .aliases = "low min min_val min_value minimum lower lower_bound minval clip_min",
     .default_value = -1,
     .fixed_dtype = -1},
    {.name = "hi",
     .role = CMPD_ROLE_SCALAR,
     .aliases = "high max max_val max_value maximum upper upper_bound maxval clip_max",
     .default_value = 1,
     .fixed_dtype = -1},
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        expected[Y][i] = fmin(fmax(ref_get(call, X, i), call->scalars[LO]), call->scalars[HI]);
    }
}

/* The middle one of the three. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    double lo = call->scalars[LO], hi = call->scalars[HI];
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        double x = ref_get(call, X, i);
        bool above_lo = x >= lo, above_hi = x >= hi;
        expected[Y][i] = above_hi ? hi : above_lo ? x : lo;
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_elementwise_fill(call, X, inputs, seed);
    const struct ref_fill below = {.least_exponent = 0, .past_exponent = 1, .sign = REF_NEGATIVE};
    const struct ref_fill above = {.least_exponent = 1, .past_exponent = 3, .sign = REF_POSITIVE};
    call->scalars[LO] = ref_scalar(call, LO, seed, &below);
    call->scalars[HI] = ref_scalar(call, HI, seed, &above);
}

const struct cmpd_ref_op cmpd_op_clamp = {
    .name = "clamp",
    .aliases = "clip hardtanh clamp_forward vector_clamp",
    .summary = "y = min(max(x, lo), hi)",
    REF_UNARY_LIKE(ARGS),
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
