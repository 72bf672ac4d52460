/* y = alpha * x + y. */
#include <math.h>

#include "refs/op.h"

enum { ALPHA, X, Y };

static const struct cmpd_ref_arg ARGS[] = {
    {.name = "alpha",
     .role = CMPD_ROLE_SCALAR,
     .aliases = "a scale factor s k A coef coeff",
     .optional = false,
     .default_value = 1,
     .fixed_dtype = -1},
    REF_IN("x", "in input src xs vec_x in1 X a b", "n"),
    REF_INOUT("y", "out output dst ys vec_y inout in2 Y b c result", "n"),
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        expected[Y][i] = call->scalars[ALPHA] * ref_get(call, X, i) + ref_get(call, Y, i);
    }
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = call->tensors[Y].count; i-- > 0;) {
        expected[Y][i] = (double)fmal(ref_get(call, X, i), call->scalars[ALPHA],
                                      ref_get(call, Y, i));
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_elementwise_fill(call, X, inputs, seed);
    ref_elementwise_fill(call, Y, inputs, seed);
    call->scalars[ALPHA] = ref_scalar(call, ALPHA, seed,
                                      &(struct ref_fill){.least_exponent = 0, .past_exponent = 2});
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    return ref_tolerance_stepwise(call->tensors[arg].dtype,
                                  fabs(call->scalars[ALPHA]) * ref_max_abs(&call->tensors[X]));
}

static const struct cmpd_ref_case CASES[] = {
    {"n=1", {{1}}, CMPD_CASE_TINY, "mixed"},
    {"n=31", {{31}}, CMPD_CASE_TINY, "mixed"},
    {"n=33", {{33}}, CMPD_CASE_TINY, "small"},
    {"n=1000", {{1000}}, CMPD_CASE_TINY, "mixed"},
    {"large values", {{1026}}, CMPD_CASE_TINY, "large"},
    {"prime", {{10007}}, CMPD_CASE_SMALL, "mixed"},
    {"n=100287", {{100287}}, CMPD_CASE_MEDIUM, "mixed"},
    {"n=16777207", {{16777207}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = cmpd_rng_range(&r, 2, 20000);
}

const struct cmpd_ref_op cmpd_op_axpy = {
    .name = "axpy",
    .aliases = "saxpy daxpy haxpy",
    .summary = "y = alpha * x + y",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = CASES,
    .case_count = REF_COUNT(CASES),
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
    .draw = draw,
};
