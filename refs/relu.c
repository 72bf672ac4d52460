/* y = max(x, 0). */
#include <math.h>

#include "refs/op.h"

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double relu_again(double x)
{
    return (x + fabs(x)) / 2;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, relu);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, relu_again);
}

const struct cmpd_ref_op cmpd_op_relu = {
    .name = "relu",
    .aliases = "ReLU rectifier relu_forward relu_fwd",
    .summary = "y = max(x, 0)",
    REF_UNARY,
    REF_NUMBER_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
