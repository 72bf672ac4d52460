/* y = |x|. */
#include <math.h>

#include "refs/op.h"

static double absolute(double x)
{
    return fabs(x);
}

static double absolute_again(double x)
{
    return sqrt(x * x);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, absolute);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, absolute_again);
}

const struct cmpd_ref_op cmpd_op_abs = {
    .name = "abs",
    .aliases = "absolute_value fabs vector_abs",
    .summary = "y = |x|",
    REF_UNARY,
    REF_NUMBER_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
