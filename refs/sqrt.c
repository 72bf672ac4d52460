/* y = sqrt(x), x positive. */
#include <math.h>

#include "refs/op.h"

static double root(double x)
{
    return sqrt(x);
}

/* Heron. */
static double root_again(double x)
{
    if (x == 0) {
        return 0;
    }
    long double y = ldexpl(1, (ilogb(x) + 1) / 2);
    for (int i = 0; i < 9; i++) {
        y = (y + x / y) / 2;
    }
    return (double)y;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, root);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, root_again);
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

const struct cmpd_ref_op cmpd_op_sqrt = {
    .name = "sqrt",
    .aliases = "square_root vector_sqrt elementwise_sqrt sqrtf_kernel",
    .summary = "y = sqrt(x), x positive",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
