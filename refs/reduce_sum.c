/* out = the sum of all elements. */
#include "refs/op.h"

enum { X, OUT };

const struct cmpd_ref_arg ref_reduce_args[REF_REDUCE_ARG_COUNT] = {
    REF_IN("x", REF_NAMES_X, "n"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases = "y output result res sum total dst ret o acc b c Y global_sum partial",
     .accumulates = true,
     .fixed_dtype = -1},
    REF_DIM("n", REF_NAMES_N),
};

const struct cmpd_ref_case ref_reduce_cases[REF_REDUCE_CASES] = {
    {"n=1", {{1}}, CMPD_CASE_TINY, "mixed"},
    {"n=31", {{31}}, CMPD_CASE_TINY, "mixed"},
    {"n=33", {{33}}, CMPD_CASE_TINY, "negative"},
    {"n=1000", {{1000}}, CMPD_CASE_TINY, "mixed"},
    {"positive", {{1025}}, CMPD_CASE_TINY, "positive"},
    {"ties", {{300}}, CMPD_CASE_TINY, "ties"},
    {"zeros", {{130}}, CMPD_CASE_TINY, "zeros"},
    {"prime", {{10007}}, CMPD_CASE_SMALL, "mixed"},
    {"n=100287", {{100287}}, CMPD_CASE_MEDIUM, "mixed"},
    {"n=1050621", {{1050621}}, CMPD_CASE_LARGE, "mixed"},
    {"n=16777207", {{16777207}}, CMPD_CASE_LARGE, "mixed"},
};

void ref_reduce_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = ref_summed;
    if (ref_inputs_are(inputs, "zeros")) {
        ref_fill_constant(call, X, 0);
        return;
    }
    if (ref_inputs_are(inputs, "ties")) {
        ref_fill_integers(call, X, seed, -4, 3);
        return;
    }
    if (ref_inputs_are(inputs, "negative")) {
        /* None near zero: a maximum that starts at 0 would be within tolerance of it. */
        fill.sign = REF_NEGATIVE;
        fill.least_exponent = 0;
    } else if (ref_inputs_are(inputs, "positive")) {
        fill.sign = REF_POSITIVE;
    }
    ref_fill(call, X, seed, &fill);
    ref_fill_ends(call, X, seed, &fill);
}

void ref_reduce_draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = cmpd_rng_range(&r, 2, 30000);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    long double sum = 0;
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        sum += ref_get(call, X, i);
    }
    expected[OUT][0] = (double)sum;
}

/* Neumaier's compensated sum, from the end. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    double sum = 0, lost = 0;
    for (size_t i = call->tensors[X].count; i-- > 0;) {
        double v = ref_get(call, X, i);
        double next = sum + v;
        bool sum_is_larger = (sum < 0 ? -sum : sum) >= (v < 0 ? -v : v);
        lost += sum_is_larger ? (sum - next) + v : (v - next) + sum;
        sum = next;
    }
    expected[OUT][0] = sum + lost;
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    const struct cmpd_tensor *x = &call->tensors[X];
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    return ref_tolerance_at_least(dtype, ref_sum_error(dtype, x->count, ref_norm2(x)));
}

const struct cmpd_ref_op cmpd_op_reduce_sum = {
    .name = "reduce_sum",
    .aliases = "sum reduction reduce sum_reduce block_sum sum_reduction reduction_sum array_sum "
               "vector_sum global_sum",
    .summary = "out = x[0] + ... + x[n-1]",
    REF_NUMBER_DTYPES,
    REF_REDUCE,
    .args = ref_reduce_args,
    .generate = ref_reduce_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
