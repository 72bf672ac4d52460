/* out = a - b. */
#include "refs/op.h"

static double sub(double a, double b)
{
    return a - b;
}

static double sub_again(double a, double b)
{
    return (double)-((long double)b - (long double)a);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, sub);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, sub_again);
}

const struct cmpd_ref_op cmpd_op_sub = {
    .name = "sub",
    .aliases = "subtract vector_sub vec_sub vsub elementwise_sub matrix_sub difference",
    .summary = "out = a - b",
    REF_BINARY,
    REF_NUMBER_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
