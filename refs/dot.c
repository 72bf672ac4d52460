/* out = sum of a[i] * b[i]. */
#include <math.h>

#include "refs/op.h"

enum { A, B, OUT };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", REF_NAMES_A, "n"),
    REF_IN("b", REF_NAMES_B, "n"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases = "output result res dot sum total dst ret r c z o",
     .accumulates = true,
     .fixed_dtype = -1},
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    long double sum = 0;
    for (size_t i = 0; i < call->tensors[A].count; i++) {
        sum += (long double)ref_get(call, A, i) * ref_get(call, B, i);
    }
    expected[OUT][0] = (double)sum;
}

/* Products split into two doubles (fma), both parts summed by themselves. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    long double high = 0, low = 0;
    for (size_t i = call->tensors[A].count; i-- > 0;) {
        double a = ref_get(call, A, i), b = ref_get(call, B, i);
        high += a * b;
        low += fma(a, b, -(a * b));
    }
    expected[OUT][0] = (double)(high + low);
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    if (ref_inputs_are(inputs, "zeros") || ref_inputs_are(inputs, "ties")) {
        ref_fill_integers(call, A, seed, -3, 3);
        ref_fill_integers(call, B, seed, ref_inputs_are(inputs, "zeros") ? 0 : -2, 0);
        return;
    }
    struct ref_fill fill = ref_summed;
    fill.past_exponent = 3;
    fill.sign = ref_inputs_are(inputs, "positive") ? REF_POSITIVE : REF_BOTH_SIGNS;
    ref_fill(call, A, seed, &fill);
    ref_fill(call, B, seed, &fill);
    ref_fill_ends(call, A, seed, &fill);
    ref_fill_ends(call, B, seed, &fill);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double squares = 0;
    for (size_t i = 0; i < call->tensors[A].count; i++) {
        double p = ref_get(call, A, i) * ref_get(call, B, i);
        squares += p * p;
    }
    return ref_tolerance_at_least(dtype,
                                  ref_sum_error(dtype, call->tensors[A].count, sqrt(squares)));
}

const struct cmpd_ref_op cmpd_op_dot = {
    .name = "dot",
    .aliases = "dot_product dotproduct inner_product sdot vector_dot",
    .summary = "out = a[0] * b[0] + ... + a[n-1] * b[n-1]",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = ref_reduce_cases,
    .case_count = REF_REDUCE_CASES,
    .draw = ref_reduce_draw,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
