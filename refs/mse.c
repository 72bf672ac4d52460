/* out = mean((a - b)^2). All terms have one sign, so their sum's relative error is that of a sum of ones. */
#include <math.h>

#include "refs/op.h"

enum { A, B, OUT };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", "pred predictions prediction x input output y_pred p lhs preds", "n"),
    REF_IN("b", "target targets label labels y y_true t rhs truth", "n"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases = "loss result res mse output dst ret o c total",
     .accumulates = true,
     .fixed_dtype = -1},
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    long double sum = 0;
    for (size_t i = 0; i < call->tensors[A].count; i++) {
        double d = ref_get(call, A, i) - ref_get(call, B, i);
        sum += (long double)d * d;
    }
    expected[OUT][0] = (double)(sum / (long double)call->tensors[A].count);
}

/* a^2 - 2ab + b^2, each summed by itself. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    long double aa = 0, ab = 0, bb = 0, n = (long double)call->tensors[A].count;
    for (size_t i = call->tensors[A].count; i-- > 0;) {
        long double a = ref_get(call, A, i), b = ref_get(call, B, i);
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    expected[OUT][0] = (double)((aa - 2 * ab + bb) / n);
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = ref_summed;
    if (ref_inputs_are(inputs, "zeros") || ref_inputs_are(inputs, "ties")) {
        ref_fill_integers(call, A, seed, -3, 3);
        ref_fill_integers(call, B, seed, -2, 2);
        return;
    }
    fill.past_exponent = 4;
    fill.sign = ref_inputs_are(inputs, "positive") ? REF_POSITIVE : REF_BOTH_SIGNS;
    ref_fill(call, A, seed, &fill);
    ref_fill(call, B, seed, &fill);
    ref_fill_ends(call, A, seed, &fill);
    ref_fill_ends(call, B, seed, &fill);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double fourth = 0;
    size_t n = call->tensors[A].count;
    for (size_t i = 0; i < n; i++) {
        double d = ref_get(call, A, i) - ref_get(call, B, i);
        fourth += d * d * d * d;
    }
    return ref_tolerance_at_least(dtype, ref_sum_error(dtype, n, sqrt(fourth)) / (double)n);
}

const struct cmpd_ref_op cmpd_op_mse = {
    .name = "mse",
    .aliases = "mse_loss mean_squared_error mseloss mse_forward",
    .summary = "out = mean((a - b)^2)",
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
