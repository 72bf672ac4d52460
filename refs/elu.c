/* y = x > 0 ? x : exp(x) - 1. */
#include <math.h>

#include "refs/op.h"

static double elu(double x)
{
    return x > 0 ? x : expm1(x);
}

/* exp(x) - 1 = 2 t / (1 - t), t = tanh(x / 2). */
static double elu_again(double x)
{
    long double t = tanhl(x / 2.0L);
    return x > 0 ? x : (double)(2 * t / (1 - t));
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, elu);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, elu_again);
}

const struct cmpd_ref_op cmpd_op_elu = {
    .name = "elu",
    .aliases = "elu_forward ELU",
    .summary = "y = x > 0 ? x : exp(x) - 1",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
