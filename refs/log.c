/* y = log(x), x positive. */
#include <math.h>

#include "refs/op.h"

static double logarithm(double x)
{
    return log(x);
}

/* Newton on exp(y) = x. */
static double logarithm_again(double x)
{
    long double y = log2((double)(float)x) * M_LN2;
    for (int i = 0; i < 4; i++) {
        y += 2 * (x - expl(y)) / (x + expl(y));
    }
    return (double)y;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, logarithm);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, logarithm_again);
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {.least_exponent = -8, .past_exponent = 5, .sign = REF_POSITIVE};
    if (ref_inputs_are(inputs, "large")) {
        fill.least_exponent = 5;
        fill.past_exponent = 15;
    }
    ref_fill(call, 0, seed, &fill);
}

const struct cmpd_ref_op cmpd_op_log = {
    .name = "log",
    .aliases = "natural_log vector_log logf_kernel elementwise_log",
    .summary = "y = log(x), x positive",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
