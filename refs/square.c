/* y = x * x. */
#include <math.h>

#include "refs/op.h"

static double square(double x)
{
    return x * x;
}

/* (x + 1)(x - 1) + 1 */
static double square_again(double x)
{
    return (double)(((long double)x + 1) * ((long double)x - 1) + 1);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, square);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, square_again);
}

const struct cmpd_ref_op cmpd_op_square = {
    .name = "square",
    .aliases = "vector_square elementwise_square squared",
    .summary = "y = x * x",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
