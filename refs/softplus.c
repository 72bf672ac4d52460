/* y = log(1 + exp(x)). */
#include <math.h>

#include "refs/op.h"

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double softplus_again(double x)
{
    return (double)(fmaxl(x, 0) +
                    2 * atanhl(expl(-fabsl((long double)x)) / (2 + expl(-fabsl((long double)x)))));
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, softplus);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, softplus_again);
}

const struct cmpd_ref_op cmpd_op_softplus = {
    .name = "softplus",
    .aliases = "soft_plus softplus_forward",
    .summary = "y = log(1 + exp(x))",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
